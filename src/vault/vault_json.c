/* SPDX-License-Identifier: MIT */
/* The objects of the vault as JSON: what `--json` shows, the same names everywhere. */
#include "vault/vault_internal.h"

#include <string.h>

#include "base/clock.h"

/* A moment; 0 is null. */
static void write_time(struct json_writer *w, const char *name, int64_t wall_us)
{
	char text[CLOCK_TEXT_SIZE];

	clock_format_utc(wall_us, text);
	json_write_member_string(w, name, wall_us == 0 ? NULL : text);
}

static void write_digest(struct json_writer *w, const char *name, const struct digest *digest)
{
	char text[DIGEST_TEXT_SIZE];

	digest_format(digest, text);
	json_write_member_string(w, name, text);
}

void vault_whoami_write(const struct vault_whoami *whoami, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "organization_id", whoami->org);
	json_write_member_string(w, "organization", whoami->org_name);
	json_write_member_string(w, "principal_id", whoami->principal);
	json_write_member_string(w, "principal", whoami->name);
	json_write_member_string(w, "kind", vault_principal_kind_name(whoami->kind));
	json_write_member_string(w, "token_id", whoami->token);
	write_time(w, "expires_at", whoami->expires_us);
	json_write_member_string(w, "root_rank", vault_rank_name(whoami->root_rank));
	json_write_object_end(w);
}

void vault_principal_write(const struct vault_principal *principal, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "id", principal->id);
	json_write_member_string(w, "name", principal->name);
	json_write_member_string(w, "kind", vault_principal_kind_name(principal->kind));
	write_time(w, "created_at", principal->created_us);
	write_time(w, "disabled_at", principal->disabled_us);
	json_write_object_end(w);
}

void vault_token_write(const struct vault_token *token, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "id", token->id);
	json_write_member_string(w, "principal_id", token->principal);
	write_time(w, "created_at", token->created_us);
	write_time(w, "last_used_at", token->last_used_us);
	write_time(w, "expires_at", token->expires_us);
	write_time(w, "revoked_at", token->revoked_us);
	json_write_object_end(w);
}

static void write_head(const struct vault_entry *entry, struct json_writer *w)
{
	json_write_member_string(w, "version_id", entry->head);
	json_write_member_int(w, "version", entry->number);
	json_write_member_int(w, "size", entry->size);
	json_write_member_string(w, "media_type", entry->media_type);
	write_time(w, "modified_at", entry->modified_us);
}

static void write_entry(const struct vault_entry *entry, struct json_writer *w)
{
	json_write_member_string(w, "id", entry->id);
	json_write_member_string(w, "kind", vault_kind_name(entry->kind));
	json_write_member_string(w, "path", entry->path);
	json_write_member_string(w, "name", entry->name);
	json_write_member_string(w, "parent_id", entry->parent);
	json_write_member_string(w, "rank", vault_rank_name(entry->rank));
	if (entry->head != NULL)
		write_head(entry, w);
	json_write_member_string(w, "created_by", entry->created_by);
	write_time(w, "created_at", entry->created_us);
	if (entry->trashed_us != 0)
		write_time(w, "trashed_at", entry->trashed_us);
}

void vault_entry_write(const struct vault_entry *entry, struct json_writer *w)
{
	json_write_object_begin(w);
	write_entry(entry, w);
	json_write_object_end(w);
}

static void write_metadata(const struct strvec *metadata, struct json_writer *w)
{
	json_write_key(w, "metadata");
	json_write_object_begin(w);
	for (size_t i = 0; i + 1 < metadata->len; i += 2)
		json_write_member_string(w, metadata->items[i], metadata->items[i + 1]);
	json_write_object_end(w);
}

void vault_description_write(const struct vault_description *description, struct json_writer *w)
{
	json_write_object_begin(w);
	write_entry(&description->entry, w);
	write_metadata(&description->metadata, w);
	json_write_key(w, "tags");
	json_write_array_begin(w);
	for (size_t i = 0; i < description->tags.len; i++)
		json_write_string(w, description->tags.items[i]);
	json_write_array_end(w);
	json_write_object_end(w);
}

void vault_match_write(const struct vault_entry *entry, const char *snippet, struct json_writer *w)
{
	json_write_object_begin(w);
	write_entry(entry, w);
	json_write_member_string(w, "snippet", snippet);
	json_write_object_end(w);
}

void vault_version_write(const struct vault_version *version, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "id", version->id);
	json_write_member_string(w, "file_id", version->file);
	json_write_member_int(w, "version", version->number);
	json_write_member_int(w, "size", version->size);
	write_digest(w, "hash", &version->hash);
	json_write_member_string(w, "media_type", version->media_type);
	json_write_member_string(w, "message", version->message);
	json_write_member_string(w, "author_id", version->author);
	json_write_member_string(w, "author", version->author_name);
	write_time(w, "created_at", version->created_us);
	json_write_member_string(w, "parent_id", version->parent);
	if (version->is_unchanged)
		json_write_member_bool(w, "unchanged", true);
	json_write_object_end(w);
}

void vault_grant_write(const struct vault_grant *grant, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "folder_id", grant->path == NULL ? NULL : grant->folder);
	json_write_member_string(w, "path", grant->path);
	json_write_member_string(w, "principal_id", grant->principal);
	json_write_member_string(w, "principal", grant->principal_name);
	json_write_member_string(w, "kind", vault_principal_kind_name(grant->principal_kind));
	json_write_member_string(w, "rank", vault_rank_name(grant->rank));
	json_write_member_string(w, "granted_by", grant->granted_by);
	write_time(w, "granted_at", grant->granted_us);
	json_write_object_end(w);
}

void vault_event_write(const struct vault_event *event, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_int(w, "sequence", event->sequence);
	write_time(w, "time", event->time_us);
	json_write_member_string(w, "principal_id", event->principal);
	json_write_member_string(w, "principal", event->principal_name);
	json_write_member_string(w, "token_id", event->token);
	json_write_member_string(w, "caller", event->caller);
	json_write_member_string(w, "operation", event->operation);
	json_write_member_string(w, "target", event->target);
	json_write_member_string(w, "object_id", event->entry);
	json_write_member_string(w, "before", event->before);
	json_write_member_string(w, "after", event->after);
	json_write_member_string(w, "detail", event->detail);
	json_write_member_string(w, "correlation_id", event->correlation);
	json_write_member_string(w, "result", event->result);
	write_digest(w, "previous", &event->previous);
	write_digest(w, "hash", &event->hash);
	json_write_object_end(w);
}

/* ---- templates, workspaces, stages ---- */

void vault_template_write(const struct vault_template *template, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "id", template->id);
	json_write_member_string(w, "name", template->name);
	json_write_member_string(w, "folder_id", template->folder);
	json_write_member_string(w, "path", template->path);
	json_write_member_string(w, "rank", vault_rank_name(template->rank));
	json_write_member_int(w, "version", template->version);
	json_write_member_string(w, "description", template->description);
	json_write_member_string(w, "created_by", template->created_by);
	write_time(w, "created_at", template->created_us);
	if (template->trashed_us != 0)
		write_time(w, "trashed_at", template->trashed_us);
	json_write_object_end(w);
}

void vault_template_version_write(
    const struct vault_template_version *version, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "template_id", version->template);
	json_write_member_int(w, "version", version->number);
	json_write_member_string(w, "description", version->description);
	json_write_member_string(w, "message", version->message);
	json_write_member_string(w, "author_id", version->author);
	json_write_member_string(w, "author", version->author_name);
	write_time(w, "created_at", version->created_us);
	json_write_key(w, "parameters");
	parameters_write(version->parameters, version->parameters_len, w);
	json_write_member_int(w, "folders", version->folders);
	json_write_member_int(w, "files", version->files);
	json_write_member_int(w, "bytes", version->bytes);
	json_write_object_end(w);
}

void vault_template_item_write(const struct vault_template_item *item, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_string(w, "path", item->path);
	json_write_member_string(
	    w, "kind", vault_kind_name(item->is_file ? VAULT_FILE : VAULT_FOLDER));
	if (item->is_file) {
		json_write_member_int(w, "size", item->size);
		json_write_member_string(w, "media_type", item->media_type);
		json_write_member_bool(w, "has_holes", item->has_holes);
	}
	json_write_object_end(w);
}

/* What is not to be seen is null, and says nothing of why. */
void vault_workspace_write(const struct vault_workspace *workspace, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_bool(w, "visible", workspace->entry.id != NULL);
	if (workspace->entry.id != NULL) {
		write_entry(&workspace->entry, w);
		json_write_member_string(w, "template_id", workspace->template);
		json_write_member_string(w, "template", workspace->template_name);
		json_write_key(w, "template_version");
		if (workspace->template != NULL)
			json_write_int(w, workspace->template_version);
		else
			json_write_null(w);
		json_write_member_bool(w, "derived", workspace->is_derived);
		json_write_member_string(w, "derived_from_id", workspace->parent);
		json_write_member_string(w, "derived_from", workspace->parent_name);
		json_write_member_raw(w, "parameters", workspace->parameters);
	}
	json_write_object_end(w);
}

void vault_stage_write(const struct vault_stage_info *stage, struct json_writer *w)
{
	json_write_object_begin(w);
	write_entry(&stage->entry, w);
	json_write_member_int(w, "position", stage->position);
	json_write_member_string(w, "contract_id", stage->contract);
	json_write_member_string(w, "contract_version_id", stage->contract_version);
	json_write_member_int(w, "contract_version", stage->contract_number);
	json_write_key(w, "folders");
	json_write_array_begin(w);
	for (size_t i = 0; i < stage->folders.len; i++)
		json_write_string(w, stage->folders.items[i]);
	json_write_array_end(w);
	json_write_object_end(w);
}

/* ---- decisions about scopes ---- */

/* Names with a space between. */
static void write_names(struct json_writer *w, const char *names)
{
	json_write_array_begin(w);
	while (*names != '\0') {
		size_t len = strcspn(names, " ");

		json_write_string_len(w, names, len);
		names += len + (names[len] == ' ');
	}
	json_write_array_end(w);
}

void vault_scope_event_write(const struct vault_scope_event *event, struct json_writer *w)
{
	json_write_object_begin(w);
	json_write_member_int(w, "sequence", event->sequence);
	json_write_member_string(w, "id", event->id);
	write_time(w, "time", event->time_us);
	json_write_member_string(w, "principal_id", event->principal);
	json_write_member_string(w, "principal", event->principal_name);
	json_write_member_string(w, "token_id", event->token);
	json_write_member_string(w, "caller", event->caller);
	json_write_member_string(w, "asked_workspace", event->asked_workspace);
	json_write_member_string(w, "asked_stage", event->asked_stage);
	json_write_member_string(w, "workspace_id", event->workspace);
	json_write_member_string(w, "stage_id", event->stage);
	json_write_member_string(w, "contract_id", event->contract);
	json_write_member_string(w, "contract_version_id", event->contract_version);
	json_write_member_int(w, "contract_version", event->contract_number);
	json_write_member_string(w, "rank", event->rank);
	json_write_key(w, "visible");
	write_names(w, event->visible);
	json_write_member_int(w, "hidden", event->hidden);
	json_write_member_string(w, "result", event->result);
	json_write_member_string(w, "reason", event->reason);
	json_write_member_string(w, "correlation_id", event->correlation);
	write_digest(w, "previous", &event->previous);
	write_digest(w, "hash", &event->hash);
	json_write_object_end(w);
}
