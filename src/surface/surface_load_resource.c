/* SPDX-License-Identifier: MIT */
/*
 * `resources` (section 8): static ones, and those that a read tool of the same surface makes, with
 * templates among them. A resource with a result of its own is the tool once more, with that result
 * in its place, so that reading it is a call like any other.
 */
#include "surface/surface_loader.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* Stands for a variable's value when arguments are tried at load. */
#define PLACEHOLDER "placeholder"

/* A resource while it is read: what needs order is put aside as nodes. */
struct resource_nodes {
	struct resource *resource;
	const struct json *uri;
	const struct json *mime;
	const struct json *json;
	const struct json *text;
	const struct json *tool;
	const struct json *with;
	const struct json *result;
};

static struct resource *resource_of(void *target)
{
	return ((struct resource_nodes *)target)->resource;
}

/* ---- the uri ---- */

/* Schemes that mean something else to clients: they fetch these themselves, rewrite or run them. */
static bool is_refused_scheme(const char *uri)
{
	static const char *const refused[] = { "file:", "http:", "https:", "ftp:", "ws:", "wss:",
		"data:", "blob:", "about:", "javascript:" };

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		if (strncmp(uri, refused[i], strlen(refused[i])) == 0)
			return true;
	}
	return false;
}

static bool check_scheme(struct loader *l, const struct json *node, const char *uri)
{
	size_t n = strspn(uri, "abcdefghijklmnopqrstuvwxyz0123456789+.-");

	if (uri[0] < 'a' || uri[0] > 'z' || strncmp(uri + n, "://", 3) != 0 || uri[n + 3] == '\0') {
		loader_error(
		    l, node, "a uri such as name://path is wanted, the scheme in small letters");
		return false;
	}
	if (is_refused_scheme(uri)) {
		loader_error(l, node,
		    "the scheme %.*s: is one that clients act on themselves; take one of your own",
		    (int)n, uri);
		return false;
	}
	return true;
}

/* Texts of the file that leave as they are: nothing in them that nobody sees. */
static bool check_visible(struct loader *l, const struct json *node)
{
	uint32_t codepoint = 0;

	for (size_t i = 0; i < node->len;) {
		size_t n = text_decode(node->str + i, node->len - i, &codepoint);

		if (n == 0 || text_is_invisible(codepoint)) {
			loader_error(l, node, "holds the control or invisible character U+%04X",
			    n == 0 ? 0xFFFDU : codepoint);
			return false;
		}
		i += n;
	}
	return true;
}

static void check_literal(struct loader *l, const struct json *node, const char *text, size_t len)
{
	cleanup_buf struct buf decoded = BUF_INIT;

	if (memchr(text, '{', len) != NULL || memchr(text, '}', len) != NULL)
		loader_error(l, node, "a {variable} of a uri stands alone between two /");
	else if (!surface_uri_decode(text, len, &decoded) ||
		 !text_is_utf8(decoded.data, decoded.len) ||
		 memchr(decoded.data, '\0', decoded.len) != NULL)
		loader_error(l, node,
		    "a %% in a uri is followed by two hexadecimal digits, and what they stand for "
		    "is UTF-8 without NUL");
	else if (strcmp(decoded.data, ".") == 0 || strcmp(decoded.data, "..") == 0)
		loader_error(l, node, "a uri has no segments . and ..: clients take them away");
}

static void add_variable(
    struct loader *l, const struct json *node, struct resource *resource, const char *name)
{
	struct surface_tool_internal *in = resource->in->variables.in;

	resource->is_template = true;
	if (in->inputs_len == LOADER_VARIABLES_MAX) {
		loader_error(l, node, "the uri has more than %d variables", LOADER_VARIABLES_MAX);
		return;
	}
	if (surface_find_input(in, name) >= 0)
		loader_error(l, node, "the uri has the variable \"%s\" twice", name);
	in->inputs[in->inputs_len++] =
	    (struct input){ .name = name, .schema = json_root(&l->in->variable_schema) };
}

static bool is_variable_name(const char *name)
{
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
		   strlen(name) &&
	       strchr("0123456789_", name[0]) == NULL && strlen(name) <= 64;
}

static void read_segments(struct loader *l, const struct json *node, struct resource *resource)
{
	struct uri_step step;
	bool has_more = surface_uri_begin(resource->uri, resource->uri, &step);
	bool is_end;

	while (has_more) {
		size_t name_len = 0;
		char *name = NULL;

		if (surface_uri_is_variable(step.pattern, step.pattern_len, &name_len))
			name = arena_strdup(&l->in->arena, step.pattern + 1, name_len);
		if (name != NULL && is_variable_name(name))
			add_variable(l, node, resource, name);
		else
			check_literal(l, node, step.pattern, step.pattern_len);
		has_more = surface_uri_next(&step, &is_end);
	}
}

static void check_unique_uri(struct loader *l, const struct json *node, const char *uri)
{
	for (size_t i = 0; i < l->surface->resources_len; i++) {
		const char *other = l->surface->resources[i].uri;

		if (other != NULL && surface_uri_is_same(other, uri))
			loader_error(l, node, "another resource has the uri %s already", other);
	}
}

static void read_uri(struct loader *l, const struct json *value, void *target)
{
	struct resource *resource = resource_of(target);
	const char *text = loader_text(l, value);

	if (text == NULL)
		return;
	if (!l->is_checked && (!check_visible(l, value) || !check_scheme(l, value, text)))
		return;
	if (value->len > LIMIT_URI) {
		loader_error(l, value, "the uri has more than %zu bytes", LIMIT_URI);
		return;
	}
	if (!l->is_checked)
		check_unique_uri(l, value, text);
	resource->uri = loader_strdup(l, text);
	read_segments(l, value, resource);
}

/* ---- other simple keys ---- */

static void read_name(struct loader *l, const struct json *value, void *target)
{
	char *name = loader_prose(l, value, 80, 400, false);

	for (size_t i = 0; name != NULL && !l->is_checked && i < l->surface->resources_len; i++) {
		const char *other = l->surface->resources[i].name;

		if (other != NULL && strcmp(other, name) == 0)
			loader_error(l, value, "another resource is called \"%s\" already", name);
	}
	resource_of(target)->name = name;
}

static void read_title(struct loader *l, const struct json *value, void *target)
{
	resource_of(target)->title = loader_prose(l, value, 80, 400, false);
}

static void read_description(struct loader *l, const struct json *value, void *target)
{
	resource_of(target)->description = loader_prose(l, value, 1023, 1023, true);
}

static void read_mime(struct loader *l, const struct json *value, void *target)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789.+-";
	const char *text = loader_text(l, value);
	size_t n = text != NULL ? strspn(text, allowed) : 0;

	if (text == NULL)
		return;
	if (n == 0 || text[n] != '/' || strspn(text + n + 1, allowed) == 0 ||
	    strspn(text + n + 1, allowed) != strlen(text + n + 1) || value->len > 127) {
		loader_error(l, value, "a media type such as text/plain is wanted");
		return;
	}
	((struct resource_nodes *)target)->mime = value;
	resource_of(target)->mime = loader_strdup(l, text);
}

#define LATER_STEP(key, member)                                                                    \
	{                                                                                          \
		.name = (key), .offset = offsetof(struct resource_nodes, member)                   \
	}
/* In order of reading. */
static const struct loader_key resource_keys[] = {
	{ "uri", read_uri, KEY_REQUIRED },
	{ "name", read_name, KEY_REQUIRED },
	{ "title", read_title },
	{ "description", read_description },
	{ "mime", read_mime },
	LATER_STEP("json", json),
	LATER_STEP("text", text),
	LATER_STEP("tool", tool),
	LATER_STEP("with", with),
	LATER_STEP("result", result),
};

/* ---- static ones ---- */

static void check_texts(struct loader *l, const struct json *node)
{
	if (node->type == JSON_STRING)
		(void)check_visible(l, node);
	if (node->type == JSON_ARRAY) {
		json_foreach (item, node)
			check_texts(l, item);
	}
	if (node->type == JSON_OBJECT) {
		json_foreach_member (key, value, node) {
			(void)check_visible(l, key);
			check_texts(l, value);
		}
	}
}

/* What the file itself calls a secret has no place in it. */
static void check_no_secret(struct loader *l, const struct json *node)
{
	for (size_t i = 0; i < l->surface->secrets_len; i++) {
		const struct surface_secret *secret = &l->surface->secrets[i];
		cleanup_regex struct regex *regex =
		    secret->pattern != NULL ? regex_new(secret->pattern) : NULL;

		if (regex != NULL && regex_search(regex, node->raw, node->raw_len, 0, NULL, NULL))
			loader_error(l, node, "holds what the file calls a secret: \"%s\"",
			    secret->name != NULL ? secret->name : "");
	}
}

static void check_static(struct loader *l, const struct resource_nodes *n)
{
	const struct json *content = n->resource->in->content;
	bool is_json = surface_resource_is_json(n->resource);

	if (n->resource->is_template)
		loader_error(l, n->uri != NULL ? n->uri : content,
		    "a resource that stands in the file has no variables in its uri");
	if (n->with != NULL || n->result != NULL)
		loader_error(l, n->with != NULL ? n->with : n->result,
		    "\"with\" and \"result\" go with \"tool\"");
	if (n->json != NULL && !is_json)
		loader_error(l, n->mime, "\"json\" goes with the media type application/json");
	if (n->text != NULL && is_json)
		loader_error(l, n->text,
		    "a text has a \"mime\" of its own, such as text/plain (JSON stands under "
		    "\"json\")");
	if (content->raw_len > l->surface->limits.result_bytes)
		loader_error(l, content, "has more than the %zu bytes that a result may have",
		    l->surface->limits.result_bytes);
	check_texts(l, content);
	check_no_secret(l, content);
}

static void load_static(struct loader *l, const struct resource_nodes *n)
{
	n->resource->in->content = n->json != NULL ? n->json : n->text;
	if (n->text != NULL && loader_text(l, n->text) == NULL)
		return;
	if (!l->is_checked)
		check_static(l, n);
}

/* ---- with ---- */

static bool has_hole(const struct template_ *template)
{
	if (template->kind == TEMPLATE_HOLE || template->kind == TEMPLATE_TEXT)
		return true;
	for (size_t i = 0; i < template->children_len; i++) {
		if (has_hole(&template->children[i]))
			return true;
	}
	return false;
}

static void check_names(struct loader *l, const struct tool *tool, const struct json *with)
{
	json_foreach_member (key, value, with) {
		int input = json_text(key) != NULL ? surface_find_input(tool->in, key->str) : -1;

		(void)value;
		if (input < 0)
			loader_error(l, key, "the tool %s has no such input", tool->name);
		else if (tool->in->inputs[input].is_secret)
			loader_error(l, key,
			    "the input is marked x-secret: a secret stands in no uri and in no "
			    "surface file");
	}
}

static void check_variables_used(
    struct loader *l, const struct json *node, const struct surface_tool_internal *in)
{
	for (size_t i = 0; i < in->inputs_len; i++) {
		if (!l->input_used[i])
			loader_error(l, node, "the variable \"%s\" is used nowhere in \"with\"",
			    in->inputs[i].name);
	}
}

/* Compiles `with`: its holes name variables of the URI. */
static void load_with(struct loader *l, const struct resource_nodes *n, const struct tool *tool)
{
	struct surface_resource_internal *in = n->resource->in;
	struct place place = { .what = "with", .holes = HOLE_BIT(HOLE_INPUT) };

	l->tool = &in->variables;
	l->used_len = 0;
	l->is_uri = true;
	memset(l->input_used, 0, sizeof(l->input_used));
	if (n->with != NULL && loader_is_object(l, n->with, "with")) {
		if (!l->is_checked)
			check_names(l, tool, n->with);
		in->with = loader_alloc(l, 1, sizeof(*in->with));
		(void)loader_template(l, n->with, &place, in->with);
	}
	l->is_uri = false;
	if (!l->is_checked)
		check_variables_used(l, n->uri != NULL ? n->uri : in->node, in->variables.in);
}

/* ---- are these arguments the tool's? ---- */

/* The member of `with` that a pointer leads to or below, when its value depends on the URI. */
static bool depends_on_uri(const struct template_ *with, const char *pointer)
{
	for (size_t i = 0; with != NULL && i < with->children_len; i++) {
		size_t len = strlen(with->names[i]);

		if (pointer[0] == '/' && strncmp(pointer + 1, with->names[i], len) == 0 &&
		    (pointer[1 + len] == '\0' || pointer[1 + len] == '/'))
			return has_hole(&with->children[i]);
	}
	return false;
}

/* Could another value of the variables mend it? Not a wrong type: a part of a URI is a text. */
static bool is_open(const struct template_ *with, const struct json *error)
{
	const char *pointer = json_text(json_get(error, "pointer"));
	const struct json *keyword = json_get(error, "keyword");

	if (json_is_text(keyword, "need") || json_is_text(keyword, "refuse"))
		return true;
	return pointer != NULL && !json_is_text(keyword, "type") &&
	       !json_is_text(keyword, "one_of") && !json_is_text(keyword, "at_most_one") &&
	       !json_is_text(keyword, "any_of") && !json_is_text(keyword, "all_or_none") &&
	       depends_on_uri(with, pointer);
}

static bool is_all_open(const struct template_ *with, const struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	const struct json *errors;

	if (err->details == NULL ||
	    json_read(&doc, err->details, strlen(err->details), &ignored) < 0)
		return false;
	errors = json_get(json_root(&doc), "errors");
	if (!json_is(errors, JSON_ARRAY))
		return false;
	json_foreach (error, errors) {
		if (!is_open(with, error))
			return false;
	}
	return true;
}

/* A URI of the template, PLACEHOLDER in the place of each variable. */
static void write_sample_uri(struct buf *uri, const char *template)
{
	for (const char *at = template; *at != '\0'; at++) {
		if (*at != '{') {
			buf_addc(uri, *at);
			continue;
		}
		buf_adds(uri, PLACEHOLDER);
		at = strchr(at, '}');
	}
}

/* Tries the arguments against the tool's schema and groups: what is wrong whatever the URI is. */
static void check_arguments(struct loader *l, const struct resource_nodes *n)
{
	const struct resource *resource = n->resource;
	const struct template_ *with = resource->in->with;
	cleanup_buf struct buf uri = BUF_INIT;
	cleanup_err struct err err = ERR_INIT;
	cleanup_json struct json_doc given = JSON_DOC_INIT;
	cleanup_json struct json_doc checked = JSON_DOC_INIT;
	bool is_vetoed;

	write_sample_uri(&uri, resource->uri);
	if (surface_resource_arguments(resource, uri.data, &given, &err) == 0 &&
	    surface_check_arguments(
		resource->tool, json_root(&given), &checked, &is_vetoed, &err) == 0)
		return;
	if (is_all_open(with, &err)) {
		err_release(&err);
		if (surface_check_groups(resource->tool->in, json_root(&given), &err) == 0 ||
		    is_all_open(with, &err))
			return;
	}
	loader_error(l, n->with != NULL ? n->with : n->tool, "tool %s: %s", resource->tool->name,
	    err.message);
}

/* ---- those that a tool makes ---- */

static void check_tool(struct loader *l, const struct json *node, const struct tool *tool)
{
	if (tool->effect != SURFACE_READ)
		loader_error(l, node, "the tool %s does not only read: no resource", tool->name);
	if (tool->reveals)
		loader_error(l, node, "the tool %s reveals secrets: no resource", tool->name);
}

/* The tool once more, with the result of the resource. */
static void load_result(struct loader *l, const struct resource_nodes *n, const struct tool *tool)
{
	struct tool *own = &n->resource->in->own_tool;

	if (tool->builtin != SURFACE_BUILTIN_NONE) {
		loader_error(
		    l, n->result, "the tool %s prints nothing to make a result of", tool->name);
		return;
	}
	*own = *tool;
	own->output_schema = NULL;
	own->in = loader_alloc(l, 1, sizeof(*own->in));
	*own->in = *tool->in;
	own->in->self = own;
	own->in->result_node = n->result;
	/* What is made at first use is each one's own. */
	own->in->schema = NULL;
	own->in->merged = JSON_DOC_INIT;
	own->in->output = NULL;
	own->in->output_doc = JSON_DOC_INIT;
	own->in->has_output = false;
	own->in->hands_on = false;
	own->in->results = NULL;
	own->in->results_len = 0;
	n->resource->tool = own;
	if (!own->in->is_ready)
		return;
	l->tool = own;
	loader_result(l, n->result, NULL);
	if (!l->is_checked)
		loader_check_pointers(l);
}

/* Text that is no JSON is the one string that `text` points to. */
static void check_text_result(struct loader *l, const struct resource_nodes *n)
{
	const struct surface_tool_internal *in = n->resource->tool->in;
	bool has_text = in->results_len > 0;

	if (surface_resource_is_json(n->resource))
		return;
	for (size_t i = 0; i < in->results_len; i++)
		has_text = has_text && in->results[i].text != NULL;
	if (!has_text)
		loader_error(l, n->mime,
		    "a media type that is not JSON wants a result with \"text\", which says what "
		    "is shown");
}

static void load_made(struct loader *l, const struct resource_nodes *n)
{
	struct resource *resource = n->resource;
	const struct tool *tool = loader_own_tool(l, n->tool);

	if (tool == NULL)
		return;
	resource->tool = tool;
	if (!l->is_checked)
		check_tool(l, n->tool, tool);
	load_with(l, n, tool);
	if (n->result != NULL)
		load_result(l, n, tool);
	if (!l->is_checked)
		check_text_result(l, n);
	/* A tool that is broken itself says nothing about its arguments. */
	if (!l->is_checked && l->faults == 0)
		check_arguments(l, n);
}

/* ---- all ---- */

static void load_resource(struct loader *l, const struct json *node, struct resource *resource)
{
	static char json_type[] = "application/json";
	struct resource_nodes n = { .resource = resource, .uri = json_get(node, "uri") };
	struct surface_tool_internal *variables;

	resource->surface = l->surface;
	resource->mime = json_type;
	resource->in = loader_alloc(l, 1, sizeof(*resource->in));
	resource->in->node = node;
	variables = loader_alloc(l, 1, sizeof(*variables));
	variables->inputs = loader_alloc(l, LOADER_VARIABLES_MAX, sizeof(*variables->inputs));
	resource->in->variables.in = variables;
	loader_mapping(l, node, "a resource", resource_keys, ARRAY_LEN(resource_keys), &n);
	if ((n.json != NULL) + (n.text != NULL) + (n.tool != NULL) != 1)
		loader_error(l, node, "a resource has one of \"json\", \"text\" and \"tool\"");
	else if (n.tool != NULL)
		load_made(l, &n);
	else
		load_static(l, &n);
}

static bool is_made_of(const struct surface *surface, const struct tool *tool)
{
	for (size_t i = 0; i < surface->resources_len; i++) {
		if (surface->resources[i].tool != NULL &&
		    surface->resources[i].tool->in->node == tool->in->node)
			return true;
	}
	return false;
}

static bool is_called(const struct surface *surface, const struct tool *tool)
{
	for (size_t i = 0; i < surface->tools_len; i++) {
		const struct surface_plan *plan = surface->tools[i].plan;

		if (plan != NULL && plan->preview == tool)
			return true;
		for (size_t j = 0; plan != NULL && j < plan->preconditions_len; j++) {
			if (plan->preconditions[j].tool == tool)
				return true;
		}
	}
	return false;
}

void loader_note_hidden(struct loader *l)
{
	const struct surface *surface = l->surface;

	for (size_t i = 0; i < surface->tools_len; i++) {
		const struct tool *tool = &surface->tools[i];

		if (tool->is_hidden && !is_made_of(surface, tool) && !is_called(surface, tool))
			loader_warn(l, tool->in->node,
			    "the tool is hidden, and no resource or plan calls it: nobody can "
			    "call it");
	}
}

static bool read_variable_schema(struct loader *l)
{
	static const char text[] = "{\"type\":\"string\"}";
	cleanup_err struct err err = ERR_INIT;

	return json_read(&l->in->variable_schema, text, sizeof(text) - 1, &err) == 0;
}

void loader_resources(struct loader *l, const struct json *node)
{
	struct surface *surface = l->surface;

	if (!loader_is_array(l, node, "resources"))
		return;
	if (node->len > LIMIT_RESOURCES) {
		loader_error(l, node, "a surface has at most %zu resources", LIMIT_RESOURCES);
		return;
	}
	if (!read_variable_schema(l))
		return;
	surface->resources = loader_alloc(l, node->len, sizeof(*surface->resources));
	json_foreach (item, node) {
		if (loader_is_full(l))
			return;
		if (loader_is_object(l, item, "a resource"))
			load_resource(l, item, &surface->resources[surface->resources_len++]);
	}
}
