/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a template: declared in its template.yaml, kept as JSON with each published
 * version, given values when a workspace is made.
 *
 *	description: A pipeline that turns a topic into an article.
 *	parameters:
 *	  topic:   { description: What it is about }
 *	  slug:    { description: For names of files, pattern: '[a-z0-9-]{1,40}' }
 *	  edition: { default: '1' }
 */
#include "vault/vault_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "base/yaml.h"
#include "schema/schema.h"

#define PARAMETERS_MAX ((size_t)64)
#define DESCRIPTION_MAX ((size_t)1024)
#define VALUE_MAX ((size_t)4096)

static const struct yaml_limits manifest_limits = {
	.max_bytes = 64 * KIB,
	.max_nodes = 1024,
	.max_depth = 6,
};

void parameters_free(struct vault_parameter *parameters, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		free(parameters[i].name);
		free(parameters[i].description);
		free(parameters[i].fallback);
		free(parameters[i].pattern);
	}
	free(parameters);
}

void manifest_release(struct manifest *manifest)
{
	parameters_free(manifest->parameters, manifest->len);
	free(manifest->description);
	*manifest = (struct manifest){ 0 };
}

/* ---- patterns ---- */

/* The pattern for a whole value. It was seen to stand alone, so that no parenthesis of its own ends
 * ours. */
static struct regex *compile(const char *pattern, struct err *err)
{
	cleanup_regex struct regex *alone = regex_new(pattern);
	cleanup_free char *whole = xasprintf("^(?:%s)$", pattern);
	cleanup_regex struct regex *regex = regex_new(whole);

	if (regex_check(alone, err) < 0 || regex_check(regex, err) < 0) {
		err->code = ERR_INVALID_ARGUMENT;
		return NULL;
	}
	return steal_ptr(&regex);
}

static int check_pattern(
    const struct vault_parameter *parameter, const char *value, struct err *err)
{
	cleanup_regex struct regex *regex = NULL;

	if (parameter->pattern == NULL)
		return 0;
	regex = compile(parameter->pattern, err);
	if (regex == NULL)
		return -1;
	if (regex_search(regex, value, strlen(value), 0, NULL, NULL))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENT, "parameter %s: the value does not fit %s",
	    parameter->name, parameter->pattern);
}

/* ---- template.yaml ---- */

struct source {
	const char *json; /* what json_read() was given */
	const struct yaml_marks *marks;
};

/* ERR_INVALID_ARGUMENT with the line of node. */
static int fault(const struct source *source, const struct json *node, const char *what,
    const char *quoted, struct err *err)
{
	const struct yaml_mark *mark =
	    yaml_marks_find(source->marks, (size_t)(node->raw - source->json));
	cleanup_buf struct buf text = BUF_INIT;

	text_add_visible(&text, quoted, strnlen(quoted, 100));
	return err_set(err, ERR_INVALID_ARGUMENT, MANIFEST_NAME ", line %u: %s%s",
	    mark != NULL ? mark->line : 1, text.data, what);
}

/* A text of at most max bytes; NULL with err. Owned. */
static char *take_text(const struct source *source, const struct json *node, const char *name,
    size_t max, struct err *err)
{
	const char *text = json_text(node);

	if (text != NULL && strlen(text) <= max)
		return xstrdup(text);
	(void)fault(source, node,
	    text == NULL ? ": this is a text; put it in quotes" : ": this is too long", name, err);
	return NULL;
}

/* Which member of a parameter a key of template.yaml sets. */
static char **member_of(struct vault_parameter *parameter, const char *key)
{
	if (strcmp(key, "description") == 0)
		return &parameter->description;
	if (strcmp(key, "default") == 0)
		return &parameter->fallback;
	return strcmp(key, "pattern") == 0 ? &parameter->pattern : NULL;
}

static int take_members(const struct source *source, const struct json *object,
    struct vault_parameter *parameter, struct err *err)
{
	json_foreach_member (key, value, object) {
		char **member = member_of(parameter, key->str);

		if (member == NULL)
			return fault(source, key,
			    ": there is no such key; a parameter has description, default and "
			    "pattern",
			    key->str, err);
		*member = take_text(source, value, key->str,
		    member == &parameter->description ? DESCRIPTION_MAX : VALUE_MAX, err);
		if (*member == NULL)
			return -1;
	}
	return 0;
}

static int take_parameter(const struct source *source, const struct json *key,
    const struct json *value, struct vault_parameter *parameter, struct err *err)
{
	if (!fill_is_name(key->str, key->len))
		return fault(source, key,
		    ": a parameter's name is a letter, then letters, digits, _ and -; at most 64",
		    key->str, err);
	parameter->name = xstrdup(key->str);
	if (value->type == JSON_NULL)
		return 0;
	if (value->type != JSON_OBJECT)
		return fault(source, value,
		    ": a parameter is a mapping, such as { description: What it is about }",
		    key->str, err);
	if (take_members(source, value, parameter, err) < 0)
		return -1;
	if (parameter->pattern != NULL) {
		cleanup_err struct err why = ERR_INIT;
		cleanup_regex struct regex *regex = compile(parameter->pattern, &why);

		if (regex == NULL)
			return fault(source, json_get(value, "pattern"),
			    ": this is no regular expression", parameter->pattern, err);
	}
	if (parameter->fallback != NULL && check_pattern(parameter, parameter->fallback, err) < 0)
		return fault(source, json_get(value, "default"),
		    ": the default does not fit the pattern", key->str, err);
	return 0;
}

static int take_parameters(const struct source *source, const struct json *node,
    struct manifest *manifest, struct err *err)
{
	if (node->type == JSON_NULL)
		return 0;
	if (node->type != JSON_OBJECT)
		return fault(source, node, ": this is a mapping of names", "parameters", err);
	if (node->len > PARAMETERS_MAX)
		return fault(source, node, ": there are at most 64", "parameters", err);
	manifest->parameters = xcalloc(node->len + 1, sizeof(*manifest->parameters));
	json_foreach_member (key, value, node) {
		if (take_parameter(
			source, key, value, &manifest->parameters[manifest->len++], err) < 0)
			return -1;
	}
	return 0;
}

static int take_manifest(const struct source *source, const struct json *root,
    struct manifest *manifest, struct err *err)
{
	if (root->type == JSON_NULL)
		return 0;
	if (root->type != JSON_OBJECT)
		return fault(
		    source, root, "the file is a mapping: description, parameters", "", err);
	json_foreach_member (key, value, root) {
		int result;

		if (strcmp(key->str, "description") == 0) {
			manifest->description =
			    take_text(source, value, key->str, DESCRIPTION_MAX, err);
			result = manifest->description == NULL ? -1 : 0;
		} else if (strcmp(key->str, "parameters") == 0) {
			result = take_parameters(source, value, manifest, err);
		} else {
			result = fault(source, key,
			    ": there is no such key; there are description and parameters",
			    key->str, err);
		}
		if (result < 0)
			return -1;
	}
	return 0;
}

int manifest_read(const char *text, size_t len, struct manifest *ret, struct err *err)
{
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_yaml_marks struct yaml_marks marks = YAML_MARKS_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_manifest struct manifest manifest = { 0 };
	struct source source = { .marks = &marks };

	if (yaml_read(text, len, &manifest_limits, &json, &marks, err) < 0 ||
	    json_read(&doc, json.data, json.len, err) < 0) {
		err->code = ERR_INVALID_ARGUMENT;
		return err_wrap(err, MANIFEST_NAME);
	}
	source.json = json.data;
	if (take_manifest(&source, json_root(&doc), &manifest, err) < 0)
		return -1;
	*ret = manifest;
	manifest = (struct manifest){ 0 };
	return 0;
}

/* ---- as JSON ---- */

void parameters_write(const struct vault_parameter *parameters, size_t len, struct json_writer *w)
{
	json_write_array_begin(w);
	for (size_t i = 0; i < len; i++) {
		json_write_object_begin(w);
		json_write_member_string(w, "name", parameters[i].name);
		json_write_member_string(w, "description", parameters[i].description);
		json_write_member_string(w, "default", parameters[i].fallback);
		json_write_member_string(w, "pattern", parameters[i].pattern);
		json_write_member_bool(w, "required", parameters[i].fallback == NULL);
		json_write_object_end(w);
	}
	json_write_array_end(w);
}

int parameters_read(
    const char *text, struct vault_parameter **ret_parameters, size_t *ret_len, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct vault_parameter *parameters;
	size_t len = 0;

	if (json_read(&doc, text, strlen(text), err) < 0)
		return err_wrap(err, "database: stored parameters");
	parameters = xcalloc(json_root(&doc)->len + 1, sizeof(*parameters));
	json_foreach (item, json_root(&doc)) {
		parameters[len++] = (struct vault_parameter){
			.name = xstrdup(json_text(json_get(item, "name"))),
			.description = xstrdup(json_text(json_get(item, "description"))),
			.fallback = xstrdup(json_text(json_get(item, "default"))),
			.pattern = xstrdup(json_text(json_get(item, "pattern"))),
		};
	}
	*ret_parameters = parameters;
	*ret_len = len;
	return 0;
}

/* ---- values ---- */

static int check_value(const struct vault_value *value, struct err *err)
{
	if (strlen(value->value) > VALUE_MAX || !text_is_utf8(value->value, strlen(value->value)))
		return err_set(err, ERR_INVALID_ARGUMENT,
		    "parameter %s: a value is UTF-8 of at most %zu bytes", value->name, VALUE_MAX);
	return 0;
}

static void add_value(struct filling *filling, const char *name, const char *value)
{
	ARRAY_GROW(filling->items, filling->len, filling->cap);
	filling->items[filling->len++] =
	    (struct filling_value){ .name = xstrdup(name), .value = xstrdup(value) };
}

/* The value given for a name; NULL: none is. */
static const char *given(const struct vault_value *values, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++) {
		if (strcmp(values[i].name, name) == 0)
			return values[i].value;
	}
	return NULL;
}

/* Each may be given once, and looks like a parameter's. */
int values_fill(const struct vault_value *values, size_t len, struct filling *ret, struct err *err)
{
	cleanup_filling struct filling filling = { .keeps_escapes = true };

	for (size_t i = 0; i < len; i++) {
		cleanup_buf struct buf name = BUF_INIT;

		text_add_visible(&name, values[i].name, strnlen(values[i].name, 100));
		if (!fill_is_name(values[i].name, strlen(values[i].name)))
			return err_set(err, ERR_INVALID_ARGUMENT,
			    "parameter %s: no parameter can be called so", name.data);
		if (given(values, i, values[i].name) != NULL)
			return err_set(
			    err, ERR_INVALID_ARGUMENT, "parameter %s is given twice", name.data);
		if (check_value(&values[i], err) < 0)
			return -1;
		add_value(&filling, values[i].name, values[i].value);
	}
	*ret = filling;
	filling = (struct filling){ 0 };
	return 0;
}

static int check_known(const struct vault_parameter *parameters, size_t parameters_len,
    const struct filling *values, struct err *err)
{
	for (size_t i = 0; i < values->len; i++) {
		size_t at = 0;

		while (
		    at < parameters_len && strcmp(parameters[at].name, values->items[i].name) != 0)
			at++;
		if (at == parameters_len)
			return err_set(err, ERR_INVALID_ARGUMENT,
			    "parameter %s: this version of the template has none of that name",
			    values->items[i].name);
	}
	return 0;
}

int parameters_fill(const struct vault_parameter *parameters, size_t parameters_len,
    const struct vault_value *values, size_t len, struct filling *ret, struct err *err)
{
	cleanup_filling struct filling checked = { 0 };
	cleanup_filling struct filling filling = { 0 };

	if (values_fill(values, len, &checked, err) < 0 ||
	    check_known(parameters, parameters_len, &checked, err) < 0)
		return -1;
	for (size_t i = 0; i < parameters_len; i++) {
		const struct vault_parameter *parameter = &parameters[i];
		const char *value = given(values, len, parameter->name);

		if (value == NULL)
			value = parameter->fallback;
		if (value == NULL)
			return err_set(err, ERR_INVALID_ARGUMENT, "parameter %s is missing%s%s",
			    parameter->name, parameter->description != NULL ? ": " : "",
			    parameter->description != NULL ? parameter->description : "");
		if (check_pattern(parameter, value, err) < 0)
			return -1;
		add_value(&filling, parameter->name, value);
	}
	*ret = filling;
	filling = (struct filling){ 0 };
	return 0;
}
