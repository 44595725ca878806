/* SPDX-License-Identifier: MIT */
/* policy.yaml: read strictly, or not at all. */
#include "gate/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/yaml.h"
#include "json/json.h"

static const char *const actor_types[] = { "cli", "api", "agent", "mcp", "service", "*" };

static void rule_release(struct gate_rule *rule)
{
	free(rule->actor_type);
	free(rule->actor_id);
	free(rule->surface);
	free(rule->action);
	free(rule->target);
	free(rule->description);
	*rule = (struct gate_rule){ 0 };
}

void gate_policy_release(struct gate_policy *policy)
{
	for (size_t i = 0; i < policy->rules_len; i++)
		rule_release(&policy->rules[i]);
	free(policy->rules);
	*policy = GATE_POLICY_INIT;
}

/* ---- rows of members: each says how its value is read ---- */

/* Where in the file an error is. */
struct place {
	size_t rule; /* from 0 */
	bool is_in_rule;
};

static int invalid(struct err *err, const struct place *place, const char *what)
{
	if (place->is_in_rule)
		return err_set(err, ERR_AUTHZ_INVALID, "rule %zu: %s", place->rule, what);
	return err_set(err, ERR_AUTHZ_INVALID, "%s", what);
}

struct member {
	const char *name;
	int (*read)(
	    const struct json *value, void *object, const struct place *place, struct err *err);
	bool is_required;
};

static const struct member *find_member(
    const struct member *members, size_t len, const struct json *key)
{
	for (size_t i = 0; i < len; i++) {
		if (json_is_text(key, members[i].name))
			return &members[i];
	}
	return NULL;
}

static int check_required(const struct member *members, size_t len, const struct json *node,
    const struct place *place, struct err *err)
{
	for (size_t i = 0; i < len; i++) {
		if (members[i].is_required && json_get(node, members[i].name) == NULL) {
			cleanup_free char *what = xasprintf("%s is missing", members[i].name);

			return invalid(err, place, what);
		}
	}
	return 0;
}

/* Reads a mapping by its rows: every member known, the required ones there. */
static int read_members(const struct member *members, size_t len, const struct json *node,
    void *object, const struct place *place, struct err *err)
{
	if (!json_is(node, JSON_OBJECT))
		return invalid(err, place, "a mapping is wanted");
	json_foreach_member (key, value, node) {
		const struct member *member = find_member(members, len, key);

		if (member == NULL) {
			cleanup_free char *what = xasprintf("unknown member \"%.40s\"", key->str);

			return invalid(err, place, what);
		}
		if (member->read(value, object, place, err) < 0)
			return -1;
	}
	return check_required(members, len, node, place, err);
}

/* ---- an actor ---- */

static int read_actor_type(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	for (size_t i = 0; i < ARRAY_LEN(actor_types); i++) {
		if (!json_is_text(value, actor_types[i]))
			continue;
		if (strcmp(actor_types[i], "*") != 0)
			rule->actor_type = xstrdup(actor_types[i]);
		return 0;
	}
	return invalid(err, place, "actor.type is cli, api, agent, mcp, service or *");
}

static int read_actor_id(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;
	const char *text = json_text(value);

	if (text == NULL || text[0] == '\0')
		return invalid(err, place, "actor.id is a text that is not empty");
	rule->actor_id = xstrdup(text);
	return 0;
}

static int read_authenticated(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	if (!json_is_bool(value))
		return invalid(err, place, "actor.authenticated is true or false");
	rule->is_authenticated = json_is(value, JSON_TRUE);
	return 0;
}

static const struct member actor_members[] = {
	{ "type", read_actor_type, true },
	{ "id", read_actor_id, false },
	{ "authenticated", read_authenticated, true },
};

static int read_actor(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	if (read_members(actor_members, ARRAY_LEN(actor_members), value, object, place, err) < 0)
		return -1;
	if (rule->actor_id != NULL && !rule->is_authenticated)
		return invalid(err, place, "actor.id wants authenticated: true");
	return 0;
}

/* ---- a rule ---- */

/* A name, or `*` for all (NULL). */
static int read_pattern(const struct json *value, char **ret_pattern, const char *what,
    const struct place *place, struct err *err)
{
	const char *text = json_text(value);

	if (text == NULL || text[0] == '\0')
		return invalid(err, place, what);
	if (strcmp(text, "*") != 0)
		*ret_pattern = xstrdup(text);
	return 0;
}

static int read_surface(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	return read_pattern(value, &rule->surface, "surface is a name or *", place, err);
}

static int read_action(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	return read_pattern(value, &rule->action, "action is a tool's name or *", place, err);
}

static int read_target(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	return read_pattern(value, &rule->target, "target is a plan's target or *", place, err);
}

static int read_effect(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	rule->is_deny = json_is_text(value, "deny");
	if (!rule->is_deny && !json_is_text(value, "allow"))
		return invalid(err, place, "effect is allow or deny");
	return 0;
}

static int read_require_approval(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	if (!json_is_bool(value))
		return invalid(err, place, "require_approval is true or false");
	rule->needs_approval = json_is(value, JSON_TRUE);
	return 0;
}

static int read_description(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_rule *rule = object;

	if (json_text(value) == NULL)
		return invalid(err, place, "description is a text");
	rule->description = xstrdup(json_text(value));
	return 0;
}

static const struct member rule_members[] = {
	{ "actor", read_actor, true },
	{ "surface", read_surface, true },
	{ "action", read_action, true },
	{ "target", read_target, true },
	{ "effect", read_effect, true },
	{ "require_approval", read_require_approval, false },
	{ "description", read_description, false },
};

static int read_rule(
    const struct json *node, struct gate_rule *rule, const struct place *place, struct err *err)
{
	if (read_members(rule_members, ARRAY_LEN(rule_members), node, rule, place, err) < 0)
		return -1;
	if (rule->is_deny && json_get(node, "require_approval") != NULL)
		return invalid(err, place, "require_approval has no place beside deny");
	return 0;
}

/* ---- the file ---- */

/* YAML reads 1 as a number and '1' as a text; a person means the same. */
static int read_version(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	(void)object;
	if (json_is_text(value, "1") ||
	    (json_is(value, JSON_NUMBER) && value->raw_len == 1 && value->raw[0] == '1'))
		return 0;
	return invalid(err, place, "schema_version is '1'");
}

static int read_mode(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_policy *policy = object;

	policy->is_enforced = json_is_text(value, "enforced");
	if (!policy->is_enforced && !json_is_text(value, "legacy_local"))
		return invalid(err, place, "mode is legacy_local or enforced");
	return 0;
}

static int read_rules(
    const struct json *value, void *object, const struct place *place, struct err *err)
{
	struct gate_policy *policy = object;

	if (!json_is(value, JSON_ARRAY) || value->len > GATE_POLICY_RULES)
		return invalid(err, place, "rules is a list of at most 128");
	json_foreach (item, value) {
		struct place in_rule = { .rule = policy->rules_len, .is_in_rule = true };

		ARRAY_GROW(policy->rules, policy->rules_len, policy->rules_cap);
		policy->rules[policy->rules_len++] = (struct gate_rule){ 0 };
		if (read_rule(item, &policy->rules[policy->rules_len - 1], &in_rule, err) < 0)
			return -1;
	}
	return 0;
}

static const struct member policy_members[] = {
	{ "schema_version", read_version, true },
	{ "mode", read_mode, true },
	{ "rules", read_rules, false },
};

int gate_policy_read(const char *text, size_t len, struct gate_policy *ret_policy, struct err *err)
{
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	cleanup_gate_policy struct gate_policy policy = GATE_POLICY_INIT;
	cleanup_err struct err cause = ERR_INIT;
	struct place top = { 0 };

	if (len > GATE_POLICY_BYTES)
		return invalid(err, &top, "it has more than 64 KiB");
	if (yaml_read(text, len, &yaml_limits_file, &json, NULL, &cause) < 0 ||
	    json_read(&doc, json.data, json.len, &cause) < 0)
		return invalid(err, &top, cause.message);
	if (read_members(
		policy_members, ARRAY_LEN(policy_members), json_root(&doc), &policy, &top, err) < 0)
		return -1;
	gate_policy_release(ret_policy);
	*ret_policy = policy;
	policy = GATE_POLICY_INIT;
	return 0;
}

/* ---- the file system's part ---- */

/* What kind of file it is, and who could have written it. */
static int check_file(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, ERR_AUTHZ_UNAVAILABLE, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_AUTHZ_INVALID, "%s is no ordinary file", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(err, ERR_AUTHZ_INVALID, "%s belongs to another user", path);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(
		    err, ERR_AUTHZ_INVALID, "%s is writable by others: chmod go-w it", path);
	return 0;
}

/* One byte more than there may be, so that too much is seen. */
static int read_file(int fd, const char *path, struct buf *ret_text, struct err *err)
{
	char *into = buf_reserve(ret_text, GATE_POLICY_BYTES + 1);

	while (ret_text->len <= GATE_POLICY_BYTES) {
		ssize_t got = read(fd, into + ret_text->len, GATE_POLICY_BYTES + 1 - ret_text->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(
			    err, ERR_AUTHZ_UNAVAILABLE, "read %s: %s", path, strerror(errno));
		if (got == 0)
			break;
		buf_commit(ret_text, (size_t)got);
	}
	return 0;
}

int gate_policy_load(const char *data_dir, struct gate_policy *ret_policy, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/" GATE_POLICY_FILE, data_dir);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	cleanup_buf struct buf text = BUF_INIT;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return err_set(err, ERR_AUTHZ_INVALID, "%s is a symbolic link", path);
	if (fd < 0)
		return err_set(err, ERR_AUTHZ_UNAVAILABLE, "%s: %s", path, strerror(errno));
	if (check_file(fd, path, err) < 0 || read_file(fd, path, &text, err) < 0)
		return -1;
	if (gate_policy_read(text.data, text.len, ret_policy, err) < 0)
		return err_wrap(err, "%s", path);
	return 1;
}
