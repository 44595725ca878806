/* SPDX-License-Identifier: MIT */
/* Which surfaces are served, and whether they still are what a person trusted. */
#include "call/call_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dirs.h"
#include "base/limits.h"
#include "base/log.h"

struct file_stamp file_stamp_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct file_stamp){ 0 };
	return (struct file_stamp){
		.device = (uint64_t)st.st_dev,
		.inode = (uint64_t)st.st_ino,
		.size = (int64_t)st.st_size,
		.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	};
}

bool file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns;
}

/* Takes ownership of surface. */
static struct loaded *loaded_new(const struct host *host, struct surface *surface)
{
	struct loaded *loaded = xcalloc(1, sizeof(*loaded));

	loaded->surface = surface;
	loaded->redactor = redactor_new(host->masking);
	loaded->references = 1;
	for (size_t i = 0; i < surface->secrets_len; i++)
		redactor_add_pattern(
		    loaded->redactor, surface->secrets[i].name, surface->secrets[i].pattern);
	return loaded;
}

void loaded_release(struct loaded *loaded)
{
	if (loaded == NULL || --loaded->references > 0)
		return;
	surface_free(loaded->surface);
	redactor_free(loaded->redactor);
	free(loaded);
}

/* What the surface's program is called now: the override is read at each call (§1.1). */
static const char *asked_program(const struct surface *surface)
{
	const char *override =
	    surface->program.override != NULL ? getenv(surface->program.override) : NULL;

	return override != NULL && override[0] != '\0' ? override : surface->program.run;
}

static int resolve_asked(
    const char *asked, bool is_override, struct run_program *ret_program, struct err *err)
{
	if (is_override && asked[0] != '/')
		return err_set(err, ERR_PROGRAM_NOT_FOUND,
		    "the variable that replaces the program must hold an absolute path");
	return run_program_resolve(asked, getenv("PATH"), ret_program, err);
}

int host_resolve_program(struct served *served, const struct surface *surface, struct err *err)
{
	const char *asked = asked_program(surface);
	struct run_program program = RUN_PROGRAM_INIT;

	if (served->program.path != NULL && strcmp(served->program_asked, asked) == 0 &&
	    run_program_is_same(&served->program))
		return 0;
	if (resolve_asked(asked, asked != surface->program.run, &program, err) < 0)
		return -1;
	call_version_forget(served);
	run_program_release(&served->program);
	served->program = program;
	free(served->program_asked);
	served->program_asked = xstrdup(asked);
	return 0;
}

/* ---- files ---- */

static int digest_program(
    const struct run_program *program, struct gate_trusted *now, struct err *err)
{
	cleanup_fd int fd = -1;

	now->program = xstrdup(program->path);
	now->has_program_digest = program->is_user_writable;
	if (!program->is_user_writable)
		return 0;
	fd = open(program->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "%s", program->path);
	return digest_of_fd(fd, &now->program_digest, err);
}

int host_describe_program(const char *name, struct gate_trusted *now, struct err *err)
{
	struct run_program program = RUN_PROGRAM_INIT;
	cleanup_err struct err ignored = ERR_INIT;
	int result = 0;

	if (run_program_resolve(name, getenv("PATH"), &program, &ignored) == 0)
		result = digest_program(&program, now, err);
	run_program_release(&program);
	return result;
}

struct surface *host_describe_surface(
    const char *path, struct gate_trusted *ret_now, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_YAML_BYTES);
	cleanup_free char *real = realpath(path, NULL);
	struct gate_trusted now = { 0 };
	struct surface *surface;

	if (real == NULL) {
		err_errno(err, errno, "%s", path);
		return NULL;
	}
	if (dirs_read_file(real, &text, err) < 0)
		return NULL;
	surface = surface_load(text.data, text.len, false, NULL, err);
	if (surface == NULL) {
		err_wrap(err, "%s", real);
		return NULL;
	}
	now.surface = xstrdup(surface->name);
	now.path = steal_ptr(&real);
	now.digest = surface->digest;
	if (host_describe_program(surface->program.run, &now, err) < 0) {
		gate_trusted_release(&now);
		surface_free(surface);
		return NULL;
	}
	*ret_now = now;
	return surface;
}

/* Loads the file if it is trusted as it is now; its stamps are taken before it is read, so that a
 * change in between is seen at the next look. */
static int load_file(struct served *served, struct err *err)
{
	cleanup_free char *trust_path = xasprintf("%s/trust.yaml", served->host->data_dir);
	cleanup_gate_trust struct gate_trust trust = GATE_TRUST_INIT;
	struct gate_trusted now = { 0 };
	struct surface *surface;
	int result;

	served->stamp = file_stamp_of(served->path);
	served->trust_stamp = file_stamp_of(trust_path);
	surface = host_describe_surface(served->path, &now, err);
	if (surface == NULL)
		return -1;
	result = gate_trust_load(served->host->data_dir, &trust, err);
	if (result == 0)
		result = gate_trust_check(&trust, &now, err);
	gate_trusted_release(&now);
	if (result == 0)
		result = host_resolve_program(served, surface, err);
	if (result < 0) {
		surface_free(surface);
		return -1;
	}
	served->loaded = loaded_new(served->host, surface);
	return 0;
}

static int load_builtin(struct served *served, struct err *err)
{
	const struct surface_builtin *builtin = served->builtin;
	struct digest digest;
	struct surface *surface;

	memcpy(digest.bytes, builtin->digest, DIGEST_SIZE);
	surface = surface_load_compiled(builtin->json, builtin->json_len, &digest, err);
	if (surface == NULL)
		return err_wrap(err, "built-in surface %s", builtin->name);
	served->loaded = loaded_new(served->host, surface);
	return call_status_read_switch(served, err);
}

/* The file of a surface of the user's own; it is there. */
static char *own_surface_path(const char *word, struct err *err)
{
	cleanup_free char *data_dir = dirs_data(err);
	cleanup_free char *path =
	    data_dir != NULL ? xasprintf("%s/surfaces/%s.yaml", data_dir, word) : NULL;

	if (path == NULL)
		return NULL;
	if (access(path, F_OK) == 0)
		return steal_ptr(&path);
	err_set(err, ERR_NOT_FOUND,
	    "no surface %s: see `stile surface list`, or give the path of a file", word);
	return NULL;
}

int host_locate_surface(
    const char *word, const struct surface_builtin **ret_builtin, char **ret_path, struct err *err)
{
	bool is_name = strchr(word, '/') == NULL && strchr(word, '.') == NULL;
	const struct surface_builtin *builtin = is_name ? surface_builtin_find(word) : NULL;
	cleanup_free char *path = NULL;
	char *real = NULL;

	if (builtin == NULL) {
		path = is_name ? own_surface_path(word, err) : xstrdup(word);
		if (path == NULL)
			return -1;
		real = realpath(path, NULL);
		if (real == NULL)
			return err_errno(err, errno, "surface %s", word);
	}
	*ret_builtin = builtin;
	*ret_path = real;
	return 0;
}

/* Two tools that clients could take for one another: equal after - . _ are made alike. */
static bool is_alike(const char *a, const char *b)
{
	for (; *a != '\0' && *b != '\0'; a++, b++) {
		bool is_joint_a = *a == '-' || *a == '.' || *a == '_';
		bool is_joint_b = *b == '-' || *b == '.' || *b == '_';

		if (*a != *b && !(is_joint_a && is_joint_b))
			return false;
	}
	return *a == *b;
}

static int check_uris(const struct surface *a, const struct surface *b, struct err *err)
{
	for (size_t i = 0; i < a->resources_len; i++) {
		for (size_t j = 0; j < b->resources_len; j++) {
			if (surface_uri_is_same(a->resources[i].uri, b->resources[j].uri))
				return err_set(err, ERR_SURFACE_INVALID,
				    "surfaces %s and %s both have a resource %s", a->name, b->name,
				    b->resources[j].uri);
		}
	}
	return 0;
}

static int check_pair(const struct surface *a, const struct surface *b, struct err *err)
{
	if (is_alike(a->name, b->name))
		return err_set(err, ERR_SURFACE_INVALID, "two surfaces are called %s", a->name);
	for (size_t i = 0; i < a->tools_len; i++) {
		for (size_t j = 0; j < b->tools_len; j++) {
			if (is_alike(a->tools[i].name, b->tools[j].name))
				return err_set(err, ERR_SURFACE_INVALID,
				    "surfaces %s and %s both have a tool called %s", a->name,
				    b->name, b->tools[j].name);
		}
	}
	return check_uris(a, b, err);
}

static int check_collisions(const struct host *host, const struct served *served, struct err *err)
{
	for (size_t i = 0; i < host->served_len; i++) {
		const struct served *other = &host->served[i];

		if (other == served || other->loaded == NULL || served->loaded == NULL)
			continue;
		if (check_pair(other->loaded->surface, served->loaded->surface, err) < 0)
			return -1;
	}
	return 0;
}

/* One line for the operator. What a file says goes into messages, and the log to whoever keeps
 * standard error. */
void host_warn(struct host *host, const char *what, const struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;

	(void)redact_text(host_redactor(host), NULL, err->message, strlen(err->message), &text);
	log_line(LOG_LEVEL_WARNING, "%s%s", what, text.data);
}

static int load_one(struct host *host, struct served *served, const char *word, struct err *err)
{
	served->host = host;
	served->waiting_tail = &served->waiting;
	served->waiting_exclusive_tail = &served->waiting_exclusive;
	if (host_locate_surface(word, &served->builtin, &served->path, err) < 0)
		return -1;
	if (served->builtin != NULL)
		return load_builtin(served, err);
	if (load_file(served, err) == 0)
		return 0;
	if (err->code != ERR_SURFACE_UNTRUSTED)
		return -1;
	host_warn(host, "", err);
	err_release(err);
	return 0;
}

int host_load_surfaces(struct host *host, struct err *err)
{
	const struct strvec *words = &host->options->surfaces;

	if (words->len == 0 || words->len > LIMIT_SURFACES)
		return err_set(
		    err, ERR_USAGE, "give 1 to %zu surfaces: --surface NAME", LIMIT_SURFACES);
	host->served = xcalloc(words->len, sizeof(*host->served));
	for (size_t i = 0; i < words->len; i++) {
		struct served *served = &host->served[host->served_len++];

		if (load_one(host, served, words->items[i], err) < 0 ||
		    check_collisions(host, served, err) < 0)
			return -1;
	}
	return 0;
}

bool host_may_serve(const struct host *host, const char *name)
{
	for (size_t i = 0; i < host->served_len; i++) {
		const struct loaded *loaded = host->served[i].loaded;

		if (loaded == NULL || strcmp(loaded->surface->name, name) == 0)
			return true;
	}
	return false;
}

/* ---- change ---- */

static bool has_changed(const struct served *served, const struct file_stamp *trust)
{
	struct file_stamp now = file_stamp_of(served->path);

	return !file_stamp_is_same(&now, &served->stamp) ||
	       !file_stamp_is_same(trust, &served->trust_stamp) ||
	       (served->loaded != NULL && served->program.path != NULL &&
		   !run_program_is_same(&served->program));
}

static void record_trust(
    struct host *host, const struct surface *surface, enum err_code code, const char *detail)
{
	struct ledger_record record = LEDGER_RECORD_INIT;

	record.kind = LEDGER_TRUST;
	record.caller = host->options->caller;
	record.surface = surface->name;
	record.surface_digest = &surface->digest;
	record.code = code != ERR_NONE ? err_info(code)->wire : NULL;
	record.detail = detail;
	(void)ledger_queue(host->ledger, &record, NULL, NULL);
}

/* Takes the tools away, and gives them back if the file is trusted as it is now. */
static void reload(struct served *served)
{
	struct host *host = served->host;
	cleanup_err struct err err = ERR_INIT;
	struct loaded *before = steal_ptr(&served->loaded);

	call_version_forget(served);
	run_program_release(&served->program);
	if (load_file(served, &err) == 0 && check_collisions(host, served, &err) < 0)
		loaded_release(steal_ptr(&served->loaded));
	if (served->loaded == NULL && before != NULL) {
		host_warn(host, "tools withdrawn: ", &err);
		record_trust(host, before->surface, err.code, "withdrawn");
	}
	if (served->loaded != NULL && (before == NULL || !digest_equal(&before->surface->digest,
							     &served->loaded->surface->digest)))
		record_trust(host, served->loaded->surface, ERR_NONE, "served");
	loaded_release(before);
}

bool host_refresh(struct host *host)
{
	cleanup_free char *trust_path = NULL;
	struct file_stamp trust = { 0 };
	bool is_changed = false;

	for (size_t i = 0; i < host->served_len; i++) {
		struct served *served = &host->served[i];

		if (served->path == NULL)
			continue;
		if (trust_path == NULL) {
			trust_path = xasprintf("%s/trust.yaml", host->data_dir);
			trust = file_stamp_of(trust_path);
		}
		if (!has_changed(served, &trust))
			continue;
		reload(served);
		is_changed = true;
	}
	if (is_changed) {
		host_list_visible(host);
		host->generation++;
		host->scope.is_stale = true;
		host_tell(host, HOST_TOOLS_CHANGED | HOST_RESOURCES_CHANGED);
	}
	return is_changed;
}
