/* SPDX-License-Identifier: MIT */
/* stile vault init|login|logout|whoami: whose credential this user has. A token's value is never in
 * an argument, an envelope or a message. */
#include "cli/cli_vault.h"

#include <stdlib.h>
#include <string.h>

#include "base/dirs.h"
#include "cli/cli_local.h"
#include "cli/cli_token.h"

#define LINE_SIZE 512

/* Who the vault is bound to, as the result and as text. */
static int show_whoami(struct cli *cli, struct vault *vault, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	struct vault_whoami whoami = { 0 };

	if (vault_whoami(vault, &whoami, err) < 0)
		return -1;
	vault_whoami_write(&whoami, &w);
	cli_line(&cli->out, "%-12s %s (%s)", "principal", whoami.name,
	    vault_principal_kind_name(whoami.kind));
	cli_field(&cli->out, "id", whoami.principal);
	cli_line(&cli->out, "%-12s %s (%s)", "organization", whoami.org_name, whoami.org);
	cli_field(&cli->out, "rank on /", vault_rank_name(whoami.root_rank));
	cli_field(&cli->out, "token", whoami.token);
	cli_field_time(&cli->out, "expires", whoami.expires_us);
	vault_whoami_release(&whoami);
	return 0;
}

int cmd_vault_whoami(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open(cli, err);

	return vault == NULL ? -1 : show_whoami(cli, vault, err);
}

/* ---- init ---- */

static const char *user_name(void)
{
	const char *name = getenv("USER");

	if (name == NULL || name[0] == '\0')
		name = getenv("LOGNAME");
	return name != NULL && name[0] != '\0' ? name : "owner";
}

/* A credential that is in use is not replaced: its value exists nowhere else. What is wrong with a
 * place for one shows before an owner is made whose token could not be kept. */
static int check_free_place(struct err *err)
{
	cleanup_secret struct secret *token = vault_credential_load(err);
	cleanup_free char *dir = dirs_config();

	if (token != NULL)
		return err_set(err, ERR_ALREADY_EXISTS,
		    "you are logged in already; --out FILE keeps the new owner's token elsewhere, "
		    "or first run: stile vault logout");
	if (err->code != ERR_UNAUTHENTICATED)
		return -1;
	err_release(err);
	if (getenv("STILE_TOKEN_FILE") != NULL || dir == NULL)
		return err_set(err, ERR_USAGE,
		    "STILE_TOKEN_FILE is set or HOME is not; say where the owner's token is "
		    "kept: --out FILE");
	return vault_credential_try(err);
}

static const char next_steps[] = "\nNext:\n"
				 "  stile vault folder create /notes\n"
				 "  echo hello | stile vault file put /notes/hello.txt\n"
				 "  stile vault principal add helper --kind agent\n"
				 "  stile vault --help\n";

static const char demo_steps[] = "\nNext:\n"
				 "  stile vault folder tree /demo\n"
				 "  stile vault file get /demo/CLAUDE.md\n"
				 "  stile vault stage list /demo\n"
				 "  stile vault template show article\n"
				 "  stile vault --help\n";

static int do_init(struct cli *cli, struct cli_token_file *file, struct err *err)
{
	const char *org = cli->options.org != NULL ? cli->options.org : "home";
	const char *owner = cli->options.owner != NULL ? cli->options.owner : user_name();
	cleanup_free char *data_dir = dirs_data(err);
	cleanup_vault struct vault *vault = data_dir == NULL ? NULL : vault_create(data_dir, err);
	cleanup_token_text struct vault_token_text token = { 0 };
	int result;

	if (vault == NULL || vault_init(vault, org, owner, &token, err) < 0)
		return -1;
	result = file->path != NULL ? cli_token_file_write(file, &token, err)
				    : vault_credential_store(token.text, err);
	if (result < 0)
		return err_wrap(err,
		    "organization %s is made, but its owner's token is lost; once this is mended, "
		    "make another: stile vault init --org NAME",
		    org);
	if (show_whoami(cli, vault, err) < 0)
		return -1;
	cli_line(&cli->out, "%-12s %s", "credential",
	    file->path != NULL ? file->path : "yours from now on; stile vault whoami");
	if (cli->options.is_demo && cli_vault_demo(cli, vault, err) < 0)
		return -1;
	buf_adds(&cli->out, cli->options.is_demo ? demo_steps : next_steps);
	return 0;
}

int cmd_vault_init(struct cli *cli, struct err *err)
{
	cleanup_token_file struct cli_token_file file = CLI_TOKEN_FILE_INIT;

	if (cli->options.out != NULL) {
		if (cli_token_file_make(cli, cli->options.out, &file, err) < 0)
			return -1;
	} else if (check_free_place(err) < 0) {
		return -1;
	}
	return do_init(cli, &file, err);
}

/* ---- login, logout ---- */

/* Asks for a token; *ret_line is its text, *ret_token the same to bind with. */
static int ask_token(char line[LINE_SIZE], struct secret **ret_token, struct err *err)
{
	char copy[LINE_SIZE];

	if (cli_tty_read_secret("Token: ", line, LINE_SIZE, err) < 0)
		return -1;
	memcpy(copy, line, sizeof(copy));
	*ret_token = vault_token_parse(copy, err);
	explicit_bzero(copy, sizeof(copy));
	return *ret_token == NULL ? -1 : 0;
}

/* What is kept by now; none, or one that is no token, is NULL without an error. */
static struct secret *kept_token(struct err *err)
{
	struct secret *kept = vault_credential_kept(err);

	if (err->code == ERR_UNAUTHENTICATED || err->code == ERR_CONFIGURATION)
		err_release(err);
	return kept;
}

/* A token is kept only once it was seen to be valid. */
static int do_login(struct cli *cli, struct vault *vault, char line[LINE_SIZE], struct err *err)
{
	cleanup_secret struct secret *kept = kept_token(err);
	cleanup_secret struct secret *token = NULL;

	if (err_is_set(err) || ask_token(line, &token, err) < 0 ||
	    vault_login(vault, kept, token, err) < 0 || vault_credential_store(line, err) < 0)
		return -1;
	return show_whoami(cli, vault, err);
}

static void warn_of_token_file(struct cli *cli)
{
	if (getenv("STILE_TOKEN_FILE") != NULL)
		cli_line(&cli->out, "STILE_TOKEN_FILE is set and stays what commands use.");
}

int cmd_vault_login(struct cli *cli, struct err *err)
{
	cleanup_vault struct vault *vault = cli_vault_open_store(cli, err);
	char line[LINE_SIZE] = "";
	int result = vault == NULL ? -1 : do_login(cli, vault, line, err);

	explicit_bzero(line, sizeof(line));
	if (result == 0)
		warn_of_token_file(cli);
	return result;
}

/* What is forgotten exists nowhere else, for all we know. */
static int check_spare(struct cli *cli, struct err *err)
{
	cleanup_secret struct secret *kept = kept_token(err);
	cleanup_vault struct vault *vault = kept == NULL ? NULL : cli_vault_open_store(cli, err);

	if (vault != NULL && vault_bind_unnoted(vault, kept, err) == 0)
		return vault_token_check_last(vault, err);
	if (err->code == ERR_NOT_FOUND || err->code == ERR_UNAUTHENTICATED)
		err_release(err); /* there is no vault, or it does not accept the token */
	return err_is_set(err) ? -1 : 0;
}

int cmd_vault_logout(struct cli *cli, struct err *err)
{
	struct json_writer w = JSON_WRITER_INIT(&cli->result);
	bool was_there = false;

	if (!cli->options.is_force && check_spare(cli, err) < 0)
		return -1;
	if (vault_credential_remove(&was_there, err) < 0)
		return -1;
	json_write_object_begin(&w);
	json_write_member_bool(&w, "was_logged_in", was_there);
	json_write_object_end(&w);
	cli_line(&cli->out, was_there
				? "The credential is forgotten; its token stays valid until it "
				  "is revoked."
				: "There was no credential.");
	warn_of_token_file(cli);
	return 0;
}
