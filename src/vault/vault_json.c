/* SPDX-License-Identifier: MIT */
/* The objects of the vault as JSON: what `--json` shows, the same names everywhere. */
#include "vault/vault_internal.h"

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
