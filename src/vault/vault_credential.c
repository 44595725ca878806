/* SPDX-License-Identifier: MIT */
/* The credential of the user who types, in a file that only this user can read. */
#include "vault/vault_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dirs.h"

#define CREDENTIALS "credentials.json"
#define CREDENTIAL_MAX 4096

#define TOKEN_FILE_VARIABLE "STILE_TOKEN_FILE"

static int no_credential(const char *path, struct err *err)
{
	if (getenv(TOKEN_FILE_VARIABLE) != NULL)
		return err_set(err, ERR_UNAUTHENTICATED,
		    TOKEN_FILE_VARIABLE " names %s, which does not exist", path);
	return err_set(err, ERR_UNAUTHENTICATED,
	    "there is no credential; run stile vault login, or name a token's file in"
	    " " TOKEN_FILE_VARIABLE);
}

static int check_file(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_PERMISSION_DENIED, "%s is no ordinary file", path);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_PERMISSION_DENIED, "%s belongs to another user", path);
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "%s is open to others, so its token may be known: revoke it, then chmod 600 %s",
		    path, path);
	return 0;
}

/* Reads a small file into text, which the caller wipes. */
static int read_text(const char *path, char text[CREDENTIAL_MAX], struct err *err)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	ssize_t got;

	if (fd < 0 && errno == ENOENT)
		return no_credential(path, err);
	if (fd < 0 && errno == ELOOP)
		return err_set(err, ERR_PERMISSION_DENIED,
		    "%s is a symbolic link, which is not followed; put the file itself there",
		    path);
	if (fd < 0)
		return err_errno(err, errno, "%s", path);
	if (check_file(fd, path, err) < 0)
		return -1;
	got = read(fd, text, CREDENTIAL_MAX - 1);
	if (got < 0)
		return err_errno(err, errno, "read %s", path);
	text[got] = '\0';
	return 0;
}

/* The member `token` of the file. The document's own copies are freed memory afterwards, as is
 * every buffer of this short-lived process. */
static struct secret *parse_credentials(char *text, struct err *err)
{
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	const char *token = NULL;
	char copy[CREDENTIAL_MAX];
	struct secret *secret = NULL;

	if (json_read(&doc, text, strlen(text), err) == 0)
		token = json_text(json_get(json_root(&doc), "token"));
	err_release(err);
	if (token != NULL && strlen(token) < sizeof(copy)) {
		memcpy(copy, token, strlen(token) + 1);
		secret = vault_token_parse(copy, err);
		explicit_bzero(copy, sizeof(copy));
	}
	if (secret == NULL)
		(void)err_set(err, ERR_CONFIGURATION, "it holds no token; run: stile vault login");
	return secret;
}

/* A file that `token issue --out` wrote: the token and a newline. */
static struct secret *parse_token_file(char *text, struct err *err)
{
	text[strcspn(text, "\r\n")] = '\0';
	return vault_token_parse(text, err);
}

static struct secret *load(
    const char *path, struct secret *(*parse)(char *, struct err *), struct err *err)
{
	char text[CREDENTIAL_MAX];
	struct secret *secret = NULL;

	if (read_text(path, text, err) < 0)
		return NULL;
	secret = parse(text, err);
	explicit_bzero(text, sizeof(text));
	if (secret == NULL)
		(void)err_wrap(err, "%s", path);
	return secret;
}

static char *credentials_path(struct err *err)
{
	cleanup_free char *dir = dirs_config();

	if (dir != NULL)
		return xasprintf("%s/" CREDENTIALS, dir);
	(void)err_set(err, ERR_CONFIGURATION, "no place for credentials: set HOME");
	return NULL;
}

struct secret *vault_credential_kept(struct err *err)
{
	cleanup_free char *path = credentials_path(err);

	return path == NULL ? NULL : load(path, parse_credentials, err);
}

struct secret *vault_credential_load(struct err *err)
{
	const char *file = getenv(TOKEN_FILE_VARIABLE);

	if (file != NULL && file[0] == '\0') {
		/* Whoever set it meant a token with less rank than the owner's. */
		(void)err_set(err, ERR_CONFIGURATION,
		    TOKEN_FILE_VARIABLE " is empty; name a token's file in it, or unset it");
		return NULL;
	}
	return file != NULL ? load(file, parse_token_file, err) : vault_credential_kept(err);
}

static int write_credentials(struct buf *text, struct err *err)
{
	cleanup_free char *dir = dirs_config();

	if (dir == NULL)
		return err_set(err, ERR_CONFIGURATION, "no place for credentials: set HOME");
	return dirs_write_host_file(dir, CREDENTIALS, text, err);
}

int vault_credential_try(struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	bool was_there = false;

	buf_adds(&text, "{}\n");
	return write_credentials(&text, err) < 0 ? -1 : vault_credential_remove(&was_there, err);
}

int vault_credential_store(const char *token, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_writer w = JSON_WRITER_INIT(&text);
	int result;

	(void)buf_reserve(&text, CREDENTIAL_MAX); /* so that it does not move, leaving copies */
	json_write_object_begin(&w);
	json_write_member_string(&w, "token", token);
	json_write_object_end(&w);
	buf_addc(&text, '\n');
	result = write_credentials(&text, err);
	explicit_bzero(text.data, text.len);
	return result;
}

int vault_credential_remove(bool *ret_was_there, struct err *err)
{
	cleanup_free char *path = credentials_path(err);

	if (path == NULL)
		return -1;
	if (unlink(path) == 0)
		*ret_was_there = true;
	else if (errno == ENOENT)
		*ret_was_there = false;
	else
		return err_errno(err, errno, "remove %s", path);
	return 0;
}
