/* SPDX-License-Identifier: MIT */
/*
 * The result stage: what a program did becomes what the client gets. The steps stand here in
 * their order (section 5): from, parse, silence, at, drop/pick/rename, as, search, sort, page,
 * under, echo, text. The common ways (JSON without a `result` key; records that become objects)
 * are one pass: a value is read into a tape only when a step needs to look into it.
 */
#include "surface/surface_result_internal.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"

/* One alternative of `result` being tried. */
struct making {
	const struct tool *tool;
	const struct result *how;
	const struct surface_run *run;
	struct scope_values values;
	struct buf source; /* `from: both`, put together */
	struct parsed parsed;
	const struct json *node;  /* the value now; NULL: parsed.text as it is */
	struct json_doc filtered; /* after drop, pick, rename */
	struct json_doc refs;     /* every entry's ref, when search or sort look at them */
	struct list list;
	bool is_filtered_last; /* drop, pick and rename happen while the value is written */
	bool is_list;          /* the value is the list */
	bool is_refs_made;     /* the entries are refs already */
	size_t total;          /* of the list, before paging */
	struct page page;
};

#define MAKING_INIT                                                                                \
	((struct making){ .values = SCOPE_VALUES_INIT,                                             \
	    .source = BUF_INIT_MAX(SIZE_MAX / 2),                                                  \
	    .parsed = PARSED_INIT,                                                                 \
	    .page = PAGE_INIT })

static void making_release(struct making *m)
{
	surface_list_release(&m->list);
	surface_page_release(&m->page);
	json_doc_release(&m->refs);
	json_doc_release(&m->filtered);
	surface_parsed_release(&m->parsed);
	buf_release(&m->source);
}

/* ---- what an alternative asks for ---- */

static bool word_has(const struct word *word, enum hole_kind kind)
{
	for (size_t i = 0; i < word->len; i++) {
		if (word->pieces[i].is_hole && word->pieces[i].kind == kind)
			return true;
	}
	return false;
}

static bool template_has(const struct template_ *template, enum hole_kind kind)
{
	if (template == NULL)
		return false;
	if (word_has(&template->word, kind))
		return true;
	for (size_t i = 0; i < template->children_len; i++) {
		if (template_has(&template->children[i], kind))
			return true;
	}
	return false;
}

/* Steps that work on a list, so that `at` looks for one. */
static bool wants_list(const struct result *how)
{
	return how->as != NULL || how->search != NULL || how->sort != NULL ||
	       how->page.by != PAGE_NONE;
}

static bool needs_document(const struct result *how)
{
	return how->at.len > 0 || surface_has_filter(how) || how->as != NULL ||
	       how->search != NULL || how->sort != NULL || how->page.by == PAGE_SLICE ||
	       how->page.by == PAGE_TOKEN || template_has(how->echo, HOLE_POINTER);
}

/* ---- from, parse, silence ---- */

static void join_streams(struct making *m)
{
	const struct surface_run *run = m->run;
	size_t out_len = run->out_len;
	size_t err_len = run->err_len;
	const char *out = surface_trim(run->out, &out_len);
	const char *err = surface_trim(run->err, &err_len);

	buf_add(&m->source, out, out_len);
	if (out_len > 0 && err_len > 0)
		buf_addc(&m->source, '\n');
	buf_add(&m->source, err, err_len);
}

/* Part of a stream would be a cut result: stderr is kept up to a bound only. */
static int check_stderr(const struct making *m, struct err *err)
{
	if (!m->run->is_err_cut ||
	    (m->how->from == RESULT_STDOUT && !template_has(m->how->echo, HOLE_STDERR)))
		return 0;
	return err_set(err, ERR_OUTPUT_TOO_LARGE,
	    "the program printed more than %zu bytes on stderr, which the result is made of",
	    LIMIT_STDERR);
}

static bool is_silent(const struct result *how, const char *data, size_t len)
{
	if (how->silence == NULL ||
	    (how->parse.kind != PARSE_TEXT && how->parse.kind != PARSE_VALUE))
		return false;
	(void)surface_trim(data, &len);
	return len == 0;
}

static int step_parse(struct making *m, struct err *err)
{
	const struct result *how = m->how;
	const char *data = m->run->out;
	size_t len = m->run->out_len;
	size_t max = needs_document(how) ? BUF_MAX_DEFAULT : m->tool->limits.result_bytes;

	if (check_stderr(m, err) < 0)
		return -1;
	if (how->from == RESULT_STDERR) {
		data = m->run->err;
		len = m->run->err_len;
	} else if (how->from == RESULT_BOTH) {
		join_streams(m);
		data = m->source.data;
		len = m->source.len;
	}
	if (is_silent(how, data, len)) {
		data = how->silence;
		len = strlen(data);
	}
	return surface_parse(&how->parse, data, len, max, &m->parsed, err);
}

/* The document, when a step needs one or the parser made one anyway. */
static int step_read(struct making *m, struct err *err)
{
	if (needs_document(m->how) && surface_parsed_read(&m->parsed, err) < 0)
		return err_set(err, err->code == ERR_LIMIT ? ERR_OUTPUT_TOO_LARGE : ERR_BAD_OUTPUT,
		    "the output has too many values, or the same name twice");
	if (m->parsed.is_read) {
		m->node = json_root(&m->parsed.doc);
		m->values.entry = m->node;
	}
	return 0;
}

/* ---- at ---- */

static const struct json *find_first(
    const struct result *how, const struct json *root, int wanted_type)
{
	for (size_t i = 0; i < how->at.len; i++) {
		const struct json *node = surface_pointer_at(root, how->at.items[i]);

		if (node != NULL && (wanted_type < 0 || node->type == wanted_type))
			return node;
	}
	if (how->at.len == 0 && (wanted_type < 0 || root->type == wanted_type))
		return root;
	return NULL;
}

static enum json_type type_now(const struct making *m)
{
	return m->node == NULL ? m->parsed.type : (enum json_type)m->node->type;
}

/* A ref may be of one object; search, sort and pages are of lists only. */
static bool takes_object(const struct result *how)
{
	return how->as != NULL && how->search == NULL && how->sort == NULL &&
	       how->page.by == PAGE_NONE;
}

static int step_at(struct making *m, struct err *err)
{
	const struct result *how = m->how;
	const struct json *node = NULL;

	if (m->node == NULL) {
		if (wants_list(how) && m->parsed.type != JSON_ARRAY)
			return err_set(err, ERR_BAD_OUTPUT, "the output holds no list");
		return 0;
	}
	if (!wants_list(how)) {
		node = find_first(how, m->node, -1);
	} else {
		node = find_first(how, m->node, JSON_ARRAY);
		if (node == NULL && takes_object(how))
			node = find_first(how, m->node, JSON_OBJECT);
	}
	if (node == NULL)
		return err_set(err, ERR_BAD_OUTPUT, "the output holds no %s at %s",
		    wants_list(how) ? "list" : "value",
		    how->at.len > 0 && *how->at.items[0] != '\0' ? how->at.items[0] : "its top");
	m->node = node;
	return 0;
}

/* ---- drop, pick, rename ---- */

static int read_made(struct buf *text, struct json_doc *ret_doc, struct err *err)
{
	size_t len = text->len;

	if (!text->is_full && json_read_take(ret_doc, buf_detach(text), len, err) == 0)
		return 0;
	if (!text->is_full && err->code != ERR_LIMIT)
		return err_set(err, ERR_BAD_OUTPUT, "two members of the result have the same name");
	return err_set(
	    err, ERR_OUTPUT_TOO_LARGE, "the output is too large to be made into a result");
}

/* Steps that look into entries need the filtered value as a document; without them it is
 * filtered while it is written. */
static int step_filter(struct making *m, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	if (!surface_has_filter(m->how))
		return 0;
	if (surface_check_renames(m->node, m->how->rename, err) < 0)
		return -1;
	m->is_filtered_last = !wants_list(m->how);
	if (m->is_filtered_last)
		return 0;
	surface_write_filtered(&w, m->node, m->how);
	if (read_made(&text, &m->filtered, err) < 0)
		return -1;
	m->node = json_root(&m->filtered);
	return 0;
}

/* ---- as, search, sort, page ---- */

/* Search and sort look at the fields of refs: then all refs are made first, else only those of
 * the page, while it is written. */
static int make_refs(struct making *m, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);

	json_write_array_begin(&w);
	for (size_t i = 0; i < m->list.len; i++)
		surface_write_ref(&w, m->how->as, m->list.items[i].node, m->list.items[i].n);
	json_write_array_end(&w);
	surface_list_release(&m->list);
	if (read_made(&text, &m->refs, err) < 0)
		return -1;
	surface_list_of(&m->list, json_root(&m->refs));
	m->is_refs_made = true;
	return 0;
}

static int step_list(struct making *m, struct err *err)
{
	const struct result *how = m->how;

	if (m->node == NULL || m->node->type != JSON_ARRAY || !wants_list(how))
		return 0;
	surface_list_of(&m->list, m->node);
	m->is_list = true;
	if (how->as != NULL && (how->search != NULL || how->sort != NULL) && make_refs(m, err) < 0)
		return -1;
	if (how->search != NULL && surface_list_search(&m->list, how->search, &m->values, err) < 0)
		return -1;
	if (how->sort != NULL && surface_list_sort(&m->list, how->sort, &m->values, err) < 0)
		return -1;
	return 0;
}

static int step_page(struct making *m, struct err *err)
{
	const struct result *how = m->how;

	m->total = m->is_list ? m->list.len : m->parsed.count;
	if (!m->is_list && m->node != NULL && m->node->type == JSON_ARRAY)
		m->total = m->node->len;
	if (type_now(m) == JSON_ARRAY)
		m->values.count = (int64_t)m->total;
	if (how->page.by == PAGE_NONE)
		return 0;
	if (surface_page_read(&how->page, &m->values, &m->page, err) < 0)
		return -1;
	if (how->page.by == PAGE_SLICE)
		surface_page_slice(&m->page, &m->list);
	return 0;
}

/* ---- under, echo: writing ---- */

static void write_list(const struct making *m, struct json_writer *w)
{
	json_write_array_begin(w);
	for (size_t i = 0; i < m->list.len; i++) {
		const struct list_entry *entry = &m->list.items[i];

		if (m->how->as != NULL && !m->is_refs_made)
			surface_write_ref(w, m->how->as, entry->node, entry->n);
		else
			surface_write_value(w, entry->node);
	}
	json_write_array_end(w);
}

static void write_value(const struct making *m, struct json_writer *w)
{
	if (m->is_list)
		write_list(m, w);
	else if (m->node == NULL)
		json_write_raw(w, m->parsed.text.data, m->parsed.text.len);
	else if (m->is_filtered_last)
		surface_write_filtered(w, m->node, m->how);
	else if (m->how->as != NULL)
		surface_write_ref(w, m->how->as, m->node, 1);
	else
		surface_write_value(w, m->node);
}

/* Member name for what is no object. */
static const char *under_of(const struct making *m)
{
	enum json_type type = type_now(m);

	if (m->how->under != NULL)
		return m->how->under;
	if (type == JSON_ARRAY)
		return "items";
	return m->how->parse.kind == PARSE_TEXT && type == JSON_STRING ? "text" : "value";
}

static bool is_wrapped(const struct making *m)
{
	return m->how->under != NULL || m->how->page.by != PAGE_NONE || type_now(m) != JSON_OBJECT;
}

static void write_wrapped(const struct making *m, struct json_writer *w)
{
	const struct result *how = m->how;
	size_t returned = m->is_list ? m->list.len : m->total;

	json_write_key(w, under_of(m));
	write_value(m, w);
	if (how->page.by != PAGE_NONE)
		surface_page_write(w, &how->page, &m->page, returned, m->total, m->values.entry);
}

/* An object's members into an object that stays open. */
static void write_members(const struct json *object, struct json_writer *w)
{
	json_foreach_member (name, value, object) {
		json_write_key_len(w, name->str, name->len);
		surface_write_value(w, value);
	}
}

/* What `echo` adds, behind members that are there: a clash of names is refused. */
static int write_with_echo(const struct making *m, struct json_writer *w, struct err *err)
{
	const struct template_ *echo = m->how->echo;
	cleanup_buf struct buf text = BUF_INIT_MAX(w->buf->max_len);
	struct json_writer inner = JSON_WRITER_INIT(&text);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;

	if (is_wrapped(m)) {
		json_write_object_begin(&inner);
		write_wrapped(m, &inner);
		json_write_object_end(&inner);
	} else {
		write_value(m, &inner);
	}
	if (read_made(&text, &doc, err) < 0)
		return -1;
	for (size_t i = 0; i < echo->children_len; i++) {
		if (json_get(json_root(&doc), echo->names[i]) != NULL)
			return err_set(err, ERR_BAD_OUTPUT,
			    "the output already has a member \"%s\", which echo would add",
			    echo->names[i]);
	}
	json_write_object_begin(w);
	write_members(json_root(&doc), w);
	surface_write_members(echo, &m->values, w);
	json_write_object_end(w);
	return 0;
}

static int step_write(const struct making *m, struct buf *ret_json, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(ret_json);

	if (m->how->echo != NULL) {
		if (write_with_echo(m, &w, err) < 0)
			return -1;
	} else if (is_wrapped(m)) {
		json_write_object_begin(&w);
		write_wrapped(m, &w);
		json_write_object_end(&w);
	} else {
		write_value(m, &w);
	}
	if (ret_json->is_full)
		return err_set(err, ERR_OUTPUT_TOO_LARGE,
		    "the result is larger than %zu bytes; ask for less", ret_json->max_len);
	return 0;
}

/* ---- text, output ---- */

/* The message of a schema error may quote values of the output: only place and keyword leave. */
static int refuse_output(struct err *err)
{
	cleanup_err struct err cause = ERR_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *first = NULL;
	const char *pointer, *keyword;

	err_move(&cause, err);
	if (cause.details != NULL &&
	    json_read(&doc, cause.details, strlen(cause.details), &ignored) == 0)
		first = json_pointer(json_root(&doc), "/errors/0");
	pointer = json_text(json_get(first, "pointer"));
	keyword = json_text(json_get(first, "keyword"));
	return err_set(err, ERR_BAD_OUTPUT,
	    "the result does not fit the tool's output schema%s%s%s%s",
	    pointer == NULL ? "" : ", at ",
	    pointer == NULL ? "" : (*pointer == '\0' ? "its top" : pointer),
	    keyword == NULL ? "" : ": ", keyword == NULL ? "" : keyword);
}

/* What `output: auto` promises was derived from this very declaration and holds by construction
 * (fuzz_result.c tries); only what an author wrote is checked each time. */
static struct schema *output_to_check(const struct tool *tool)
{
	if (json_is_text(json_get(tool->in->node, "output"), "auto"))
		return NULL;
	return surface_tool_output(tool);
}

static int step_check(
    const struct making *m, bool is_error, struct surface_result *result, struct err *err)
{
	struct schema *output = is_error ? NULL : output_to_check(m->tool);
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const struct json *text;

	if (output == NULL && m->how->text == NULL)
		return 0;
	if (json_read(&doc, result->json.data, result->json.len, err) < 0)
		return err_set(err, ERR_OUTPUT_TOO_LARGE, "the result has too many values");
	if (output != NULL && schema_validate(output, json_root(&doc), err) < 0)
		return refuse_output(err);
	text = m->how->text == NULL ? NULL : json_pointer(json_root(&doc), m->how->text);
	if (json_is(text, JSON_STRING)) {
		buf_add(&result->text, text->str, text->len);
		result->has_text = true;
	}
	return 0;
}

/* ---- alternatives ---- */

/* An envelope's own verdict goes with the result. */
static void take_verdict(const struct making *m, struct surface_result *result)
{
	const struct json *error;

	if (m->how->parse.kind != PARSE_ENVELOPE)
		return;
	result->is_error = m->parsed.is_failed;
	if (!m->parsed.is_failed)
		return;
	error = json_get(json_root(&m->parsed.doc), "error");
	result->code = xstrdup(json_text(json_get(error, "code")));
	result->retryable = json_is(json_get(error, "retryable"), JSON_TRUE);
}

/* What a failure says beside its message: which files conflict, what was found. */
static void add_more(struct buf *text, const struct json *more)
{
	struct json_writer w = JSON_WRITER_INIT(text);

	if (more == NULL)
		return;
	buf_addc(text, '\n');
	surface_write_value(&w, more);
}

/* An envelope that says it failed is handed on whole: the steps are for what a success holds. Its
 * text is that of all errors, for clients that show nothing else. */
static int hand_on_failure(struct making *m, struct surface_result *result, struct err *err)
{
	const struct json *root = json_root(&m->parsed.doc);
	const struct json *error = json_get(root, "error");
	const char *message = json_text(json_get(error, "message"));
	struct json_writer w = JSON_WRITER_INIT(&result->json);

	surface_write_value(&w, root);
	take_verdict(m, result);
	result->has_text = true;
	buf_addf(&result->text, "[%s] %s", result->code,
	    message != NULL ? message : "the program says that it failed");
	add_more(&result->text, json_get(error, "details"));
	add_more(&result->text, json_get(root, "result"));
	if (buf_check(&result->text, "the envelope", err) < 0)
		return -1;
	return buf_check(&result->json, "the envelope", err);
}

static int make_steps(struct making *m, struct surface_result *result, struct err *err)
{
	if (step_parse(m, err) < 0)
		return -1;
	if (m->parsed.is_failed)
		return hand_on_failure(m, result, err);
	if (step_read(m, err) < 0 || step_at(m, err) < 0 || step_filter(m, err) < 0 ||
	    step_list(m, err) < 0 || step_page(m, err) < 0 || step_write(m, &result->json, err) < 0)
		return -1;
	result->invalid_bytes = m->parsed.invalid_bytes;
	take_verdict(m, result);
	return step_check(m, result->is_error, result, err);
}

static int make_by(const struct tool *tool, const struct result *how, const struct json *arguments,
    const struct surface_run *run, bool is_error, struct surface_result *ret_result,
    struct err *err)
{
	struct making m = MAKING_INIT;
	int made;

	surface_result_release(ret_result);
	ret_result->json.max_len = tool->limits.result_bytes;
	ret_result->is_error = is_error;
	m.tool = tool;
	m.how = how;
	m.run = run;
	m.values.in = tool->in;
	m.values.arguments = arguments;
	m.values.run = run;
	made = make_steps(&m, ret_result, err);
	making_release(&m);
	return made;
}

/* Without `result` the program's kind of output decides. */
static void result_by_program(const struct tool *tool, struct result *ret_how)
{
	static const enum parse_kind kinds[] = {
		[SURFACE_OUTPUT_TEXT] = PARSE_TEXT,
		[SURFACE_OUTPUT_JSON] = PARSE_JSON,
		[SURFACE_OUTPUT_ENVELOPE] = PARSE_ENVELOPE,
	};

	*ret_how = (struct result){ .from = RESULT_STDOUT };
	assert((size_t)tool->surface->program.output < ARRAY_LEN(kinds));
	ret_how->parse.kind = kinds[tool->surface->program.output];
}

/* The first alternative whose condition is met and which the output fits. */
static int make_success(const struct tool *tool, const struct json *arguments,
    const struct surface_run *run, bool is_error, struct surface_result *ret_result,
    struct err *err)
{
	const struct surface_tool_internal *in = tool->in;
	cleanup_err struct err first = ERR_INIT;
	struct result plain;

	if (in->results_len == 0) {
		result_by_program(tool, &plain);
		return make_by(tool, &plain, arguments, run, is_error, ret_result, err);
	}
	for (size_t i = 0; i < in->results_len; i++) {
		cleanup_err struct err why = ERR_INIT;

		if (!surface_condition_met(&in->results[i].condition, in, arguments))
			continue;
		if (make_by(tool, &in->results[i], arguments, run, is_error, ret_result, &why) == 0)
			return 0;
		if (why.code != ERR_BAD_OUTPUT) {
			err_move(err, &why);
			return -1;
		}
		if (!err_is_set(&first))
			err_move(&first, &why);
	}
	if (!err_is_set(&first))
		return err_set(
		    err, ERR_BAD_OUTPUT, "the surface declares no result for these arguments");
	err_move(err, &first);
	return -1;
}

/* ---- the stage ---- */

static bool lists_status(const struct json *list, int status)
{
	if (list == NULL)
		return false;
	json_foreach (number, list) {
		int64_t value;

		if (json_number_int64(number, &value) && value == status)
			return true;
	}
	return false;
}

static bool is_ok(const struct exit_rule *rule, int status)
{
	return rule->is_any_ok || (rule->ok == NULL ? status == 0 : lists_status(rule->ok, status));
}

static bool is_data(const struct exit_rule *rule, int status)
{
	return rule->is_any_data || lists_status(rule->data, status);
}

/* The alternative that these arguments choose first; NULL: the program's kind of output decides. */
static const struct result *first_choice(const struct tool *tool, const struct json *arguments)
{
	const struct surface_tool_internal *in = tool->in;

	for (size_t i = 0; i < in->results_len; i++) {
		if (surface_condition_met(&in->results[i].condition, in, arguments))
			return &in->results[i];
	}
	return NULL;
}

static bool expects_envelope(const struct tool *tool, const struct json *arguments)
{
	const struct result *how = first_choice(tool, arguments);

	if (how != NULL)
		return how->parse.kind == PARSE_ENVELOPE;
	return tool->in->results_len == 0 &&
	       tool->surface->program.output == SURFACE_OUTPUT_ENVELOPE;
}

bool surface_wants_json(const struct tool *tool, const struct json *arguments)
{
	const struct result *how = first_choice(tool, arguments);

	if (how == NULL)
		return tool->in->results_len == 0 &&
		       tool->surface->program.output != SURFACE_OUTPUT_TEXT;
	return how->from == RESULT_STDOUT &&
	       (how->parse.kind == PARSE_JSON || how->parse.kind == PARSE_NDJSON ||
		   how->parse.kind == PARSE_ENVELOPE);
}

static void add_exit_code(struct err *err, int status)
{
	(void)err_take_details(err, xasprintf("{\"exit_code\":%d}", status));
}

void surface_make_result(const struct tool *tool, const struct json *arguments,
    const struct surface_run *run, struct surface_result *ret_result)
{
	const struct exit_rule *rule = &surface_tool_ready(tool)->exit;
	bool ok = is_ok(rule, run->exit_status);
	bool data = !ok && is_data(rule, run->exit_status);
	cleanup_err struct err err = ERR_INIT;

	if (!ok && !data && !expects_envelope(tool, arguments)) {
		surface_make_failure(tool, run, ret_result);
		return;
	}
	if (make_success(tool, arguments, run, data, ret_result, &err) == 0)
		return;
	/* A program that failed before it could print its envelope: its status and stderr tell. */
	if (!ok && !data && err.code == ERR_BAD_OUTPUT) {
		surface_make_failure(tool, run, ret_result);
		return;
	}
	if (err.details == NULL)
		add_exit_code(&err, run->exit_status);
	surface_error_result(&err, ret_result);
}
