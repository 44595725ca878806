/* SPDX-License-Identifier: MIT */
/*
 * `builtin: status` (section 5.5): is the program there, of the version that the surface was written
 * for, and able to work? The verdict over two runs. Nothing here knows a program: what counts as
 * "not signed in" is said by the surface's `errors`.
 */
#include "surface/surface_result_internal.h"

#include <string.h>

/* Keep in step with write_verdict(). */
const char surface_status_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"overall_status\":{\"enum\":[\"ok\",\"warn\",\"error\"]},"
    "\"connectivity\":{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"enum\":[\"ok\",\"error\"]},\"message\":{\"type\":\"string\"},"
    "\"authErrorCode\":{\"type\":\"string\"},\"retryable\":{\"type\":\"boolean\"},"
    "\"userAction\":{\"type\":\"string\"},\"authManagedByUser\":{\"type\":\"boolean\"}},"
    "\"required\":[\"status\",\"message\"],\"additionalProperties\":false},"
    "\"version\":{\"type\":\"object\",\"properties\":{"
    "\"baselineVersion\":{\"type\":\"string\"},\"detectedVersion\":{\"type\":[\"string\",\"null\"]}"
    ","
    "\"detectedRaw\":{\"type\":\"string\"},"
    "\"compatibilityStatus\":{\"enum\":[\"equal\",\"compatible\",\"possibly_incompatible\"]},"
    "\"reason\":{\"type\":\"string\"},\"allowVersionDrift\":{\"type\":\"boolean\"}},"
    "\"required\":[\"baselineVersion\",\"detectedVersion\",\"detectedRaw\","
    "\"compatibilityStatus\",\"reason\",\"allowVersionDrift\"],\"additionalProperties\":false},"
    "\"error_code\":{\"type\":\"string\"},\"retryable\":{\"type\":\"boolean\"},"
    "\"user_action\":{\"type\":\"string\"},\"auth_managed_by_user\":{\"type\":\"boolean\"}},"
    "\"required\":[\"overall_status\",\"connectivity\",\"version\"],"
    "\"additionalProperties\":false}";

/* ---- the version ---- */

enum compatibility { EQUAL, COMPATIBLE, POSSIBLY_INCOMPATIBLE };

static const char *const compatibility_names[] = {
	[EQUAL] = "equal",
	[COMPATIBLE] = "compatible",
	[POSSIBLY_INCOMPATIBLE] = "possibly_incompatible",
};

struct version_verdict {
	const char *baseline;
	char *detected; /* or NULL; owned */
	struct buf raw; /* the head of what the program said */
	enum compatibility compatibility;
	struct buf reason;
	bool allows_drift;
};

/* The table, one row a comparison; the first that differs decides. */
static enum compatibility compare(
    const int64_t *detected, const int64_t *baseline, const char **ret_reason)
{
	if (detected[0] != baseline[0]) {
		*ret_reason = "the major version is not the baseline's";
		return POSSIBLY_INCOMPATIBLE;
	}
	if (detected[1] < baseline[1]) {
		*ret_reason = "the minor version is below the baseline's";
		return POSSIBLY_INCOMPATIBLE;
	}
	if (detected[1] > baseline[1]) {
		*ret_reason = "the major version is the baseline's, the minor version is above it";
		return COMPATIBLE;
	}
	if (detected[2] != baseline[2]) {
		*ret_reason = "only the patch version is not the baseline's";
		return COMPATIBLE;
	}
	*ret_reason = "the version is the baseline";
	return EQUAL;
}

static enum compatibility judge_run(const struct tool *tool, const struct surface_run *run,
    struct version_verdict *verdict, const char **ret_reason)
{
	cleanup_buf struct buf said = BUF_INIT;
	cleanup_free char *text = NULL;
	int64_t baseline[VERSION_PARTS];
	int64_t detected[VERSION_PARTS];

	*ret_reason = "the program could not be asked for its version";
	if (run == NULL)
		return POSSIBLY_INCOMPATIBLE;
	(void)surface_add_valid(&said, run->out, run->out_len);
	buf_addc(&said, '\n');
	(void)surface_add_valid(&said, run->err, run->err_len);
	(void)surface_add_stream(&verdict->raw, "", said.data, said.len, run->is_err_cut);
	*ret_reason = "asking the program for its version failed";
	if (run->exit_status != 0)
		return POSSIBLY_INCOMPATIBLE;
	text = surface_version_read(tool->surface, said.data, said.len);
	*ret_reason = "the program's version could not be read in what it printed";
	if (text == NULL || !surface_version_parts(text, detected) ||
	    !surface_version_parts(verdict->baseline, baseline))
		return POSSIBLY_INCOMPATIBLE;
	verdict->detected = steal_ptr(&text);
	return compare(detected, baseline, ret_reason);
}

static void judge_version(
    const struct tool *tool, const struct surface_status *status, struct version_verdict *verdict)
{
	const char *reason = NULL;

	verdict->baseline = tool->surface->program.version->baseline;
	verdict->allows_drift = status->allows_drift;
	verdict->compatibility = judge_run(tool, status->version, verdict, &reason);
	buf_adds(&verdict->reason, reason);
	if (verdict->compatibility != POSSIBLY_INCOMPATIBLE || !status->allows_drift)
		return;
	verdict->compatibility = COMPATIBLE;
	buf_adds(&verdict->reason, "; it counts as compatible because version drift is allowed");
}

/* ---- the probe ---- */

struct probe_verdict {
	bool is_ok;
	struct buf message;
	struct surface_result failure; /* as any tool would tell it */
	struct json_doc doc;           /* its members */
	bool is_auth;                  /* a matter of signing in, which is the user's own */
};

static void judge_success(const struct surface_run *run, struct buf *ret_message)
{
	if (!surface_add_stream(ret_message, "", run->out, run->out_len, false) &&
	    !surface_add_stream(ret_message, "", run->err, run->err_len, run->is_err_cut))
		buf_adds(ret_message, "the program answered its probe");
}

static void judge_probe(
    const struct tool *tool, const struct surface_status *status, struct probe_verdict *verdict)
{
	cleanup_err struct err ignored = ERR_INIT;
	struct surface_result *failure = &verdict->failure;

	verdict->is_ok = status->probe != NULL && status->probe->exit_status == 0;
	if (verdict->is_ok) {
		judge_success(status->probe, &verdict->message);
		return;
	}
	if (status->probe != NULL)
		surface_make_failure(tool, status->probe, failure);
	else
		surface_error_result(status->failure, failure);
	buf_add(&verdict->message, failure->text.data, failure->text.len);
	if (json_read(&verdict->doc, failure->json.data, failure->json.len, &ignored) == 0)
		verdict->is_auth =
		    json_is(json_get(json_root(&verdict->doc), "auth_managed_by_user"), JSON_TRUE);
}

static const char *user_action(const struct probe_verdict *probe)
{
	return json_text(json_get(json_root(&probe->doc), "user_action"));
}

/* ---- what the client gets ---- */

static const char *overall(const struct probe_verdict *probe, const struct version_verdict *version)
{
	if (!probe->is_ok)
		return "error";
	return version->compatibility == POSSIBLY_INCOMPATIBLE ? "warn" : "ok";
}

/* The four facts about signing in, by the names that stand there. */
static void write_auth(struct json_writer *w, const struct probe_verdict *probe,
    const char *code_name, const char *action_name, const char *managed_name)
{
	if (!probe->is_auth)
		return;
	json_write_member_string(w, code_name, probe->failure.code);
	json_write_member_bool(w, "retryable", probe->failure.retryable);
	if (user_action(probe) != NULL)
		json_write_member_string(w, action_name, user_action(probe));
	json_write_member_bool(w, managed_name, true);
}

static void write_connectivity(struct json_writer *w, const struct probe_verdict *probe)
{
	json_write_key(w, "connectivity");
	json_write_object_begin(w);
	json_write_member_string(w, "status", probe->is_ok ? "ok" : "error");
	json_write_member_string(w, "message", probe->message.data);
	write_auth(w, probe, "authErrorCode", "userAction", "authManagedByUser");
	json_write_object_end(w);
}

static void write_version(struct json_writer *w, const struct version_verdict *version)
{
	json_write_key(w, "version");
	json_write_object_begin(w);
	json_write_member_string(w, "baselineVersion", version->baseline);
	json_write_member_string(w, "detectedVersion", version->detected);
	json_write_member_string(w, "detectedRaw", version->raw.data);
	json_write_member_string(
	    w, "compatibilityStatus", compatibility_names[version->compatibility]);
	json_write_member_string(w, "reason", version->reason.data);
	json_write_member_bool(w, "allowVersionDrift", version->allows_drift);
	json_write_object_end(w);
}

static void write_verdict(
    struct json_writer *w, const struct probe_verdict *probe, const struct version_verdict *version)
{
	json_write_object_begin(w);
	json_write_member_string(w, "overall_status", overall(probe, version));
	write_connectivity(w, probe);
	write_version(w, version);
	write_auth(w, probe, "error_code", "user_action", "auth_managed_by_user");
	json_write_object_end(w);
}

/* On one line: the summary has six. */
static void add_on_one_line(struct buf *buf, const char *text)
{
	while (*text != '\0') {
		size_t blanks = strspn(text, " \t\r\n\v\f");
		size_t word = strcspn(text + blanks, " \t\r\n\v\f");

		if (blanks > 0)
			buf_addc(buf, ' ');
		buf_add(buf, text + blanks, word);
		text += blanks + word;
	}
}

static void write_summary(
    struct buf *text, const struct probe_verdict *probe, const struct version_verdict *version)
{
	buf_addf(text, "Overall status: %s\n", overall(probe, version));
	buf_addf(text, "Connectivity: %s: ", probe->is_ok ? "ok" : "error");
	add_on_one_line(text, probe->message.data);
	buf_addf(text, "\nVersion: %s: %s\n", compatibility_names[version->compatibility],
	    version->reason.data);
	buf_addf(text, "Baseline version: %s\n", version->baseline);
	buf_addf(text, "Detected version: %s\n",
	    version->detected != NULL ? version->detected : "unknown");
	buf_addf(text, "Version drift allowed: %s", version->allows_drift ? "yes" : "no");
}

void surface_make_status(
    const struct tool *tool, const struct surface_status *status, struct surface_result *ret_result)
{
	struct version_verdict version = { .raw = BUF_INIT, .reason = BUF_INIT };
	struct probe_verdict probe = {
		.message = BUF_INIT, .failure = SURFACE_RESULT_INIT, .doc = JSON_DOC_INIT
	};
	struct json_writer w;

	judge_probe(tool, status, &probe);
	judge_version(tool, status, &version);
	surface_result_release(ret_result);
	w = JSON_WRITER_INIT(&ret_result->json);
	write_verdict(&w, &probe, &version);
	write_summary(&ret_result->text, &probe, &version);
	ret_result->has_text = true;
	ret_result->is_error = !probe.is_ok;
	ret_result->retryable = probe.failure.retryable;
	ret_result->code = steal_ptr(&probe.failure.code);
	json_doc_release(&probe.doc);
	surface_result_release(&probe.failure);
	buf_release(&probe.message);
	free(version.detected);
	buf_release(&version.raw);
	buf_release(&version.reason);
}
