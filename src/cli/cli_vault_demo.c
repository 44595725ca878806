/* SPDX-License-Identifier: MIT */
/* What `stile vault init --demo` adds: the template of templates/article, published, and a workspace
 * made from it. By the same verbs that people use. */
#include "cli/cli_vault.h"

#include <stdlib.h>
#include <string.h>

#define TEMPLATE_FOLDER "/templates/article"
#define TEMPLATE_NAME "article"
#define WORKSPACE "/demo"

/* Path and text by turns, then NULL; generated. */
extern const char *const cli_vault_demo_files[];

struct demo {
	struct vault *vault;
	struct vault_staged **staged; /* owned, as is each; one a file */
	size_t len;
};

static void demo_release(struct demo *demo)
{
	for (size_t i = 0; i < demo->len; i++)
		vault_staged_free(demo->staged[i]);
	free(demo->staged);
}

static size_t count_files(void)
{
	size_t len = 0;

	while (cli_vault_demo_files[2 * len] != NULL)
		len++;
	return len;
}

static int stage_all(struct demo *demo, struct err *err)
{
	size_t len = count_files();

	demo->staged = xcalloc(len, sizeof(*demo->staged));
	while (demo->len < len) {
		const char *text = cli_vault_demo_files[2 * demo->len + 1];

		demo->staged[demo->len] = vault_stage_bytes(demo->vault, text, strlen(text), err);
		if (demo->staged[demo->len] == NULL)
			return -1;
		demo->len++;
	}
	return 0;
}

static int put(struct demo *demo, size_t i, struct err *err)
{
	const struct vault_put how = { .message = "from stile's demo", .is_new = true };
	cleanup_free char *ref = xasprintf(TEMPLATE_FOLDER "/%s", cli_vault_demo_files[2 * i]);
	cleanup_free char *folder = xmemdupz(ref, (size_t)(strrchr(ref, '/') - ref));
	struct vault_entry entry = { 0 };
	struct vault_version version = { 0 };

	if (vault_folder_ensure(demo->vault, folder, &entry, err) < 0)
		return -1;
	vault_entry_release(&entry);
	if (vault_file_put(demo->vault, ref, demo->staged[i], &how, &version, err) < 0)
		return -1;
	vault_version_release(&version);
	return 0;
}

static int publish(struct demo *demo, struct err *err)
{
	struct vault_template template = { 0 };
	struct vault_template_version version = { 0 };

	if (vault_template_create(demo->vault, TEMPLATE_FOLDER, TEMPLATE_NAME, &template, err) < 0)
		return -1;
	vault_template_release(&template);
	if (vault_template_publish(demo->vault, TEMPLATE_NAME, NULL, &version, err) < 0)
		return -1;
	vault_template_version_release(&version);
	return 0;
}

static int make_template(struct demo *demo, struct err *err)
{
	int result = stage_all(demo, err);

	if (result < 0 || vault_batch_begin(demo->vault, "init --demo", err) < 0)
		return -1;
	for (size_t i = 0; i < demo->len && result == 0; i++)
		result = put(demo, i, err);
	if (result == 0)
		result = publish(demo, err);
	if (result == 0)
		result = vault_batch_commit(demo->vault, err);
	if (result < 0)
		vault_batch_rollback(demo->vault);
	return result;
}

int cli_vault_demo(struct cli *cli, struct vault *vault, struct err *err)
{
	struct demo demo = { .vault = vault };
	struct vault_workspace workspace = { 0 };
	int result = make_template(&demo, err);

	demo_release(&demo);
	if (result < 0 ||
	    vault_instantiate(vault, TEMPLATE_NAME, 0, WORKSPACE, NULL, 0, &workspace, err) < 0)
		return err_wrap(err, "the vault is made, but not the demo");
	cli_line(&cli->out, "%-12s %s, a workspace made from the template %s", "demo",
	    workspace.entry.path, TEMPLATE_NAME);
	vault_workspace_release(&workspace);
	return 0;
}
