/* SPDX-License-Identifier: MIT */
/* The host's config.yaml. */
#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/dirs.h"
#include "base/limits.h"
#include "base/yaml.h"
#include "json/json.h"

#define CONFIG_FILE "config.yaml"

void gate_config_release(struct gate_config *config)
{
	for (size_t i = 0; i < config->surfaces_len; i++) {
		free(config->surfaces[i].name);
		strvec_release(&config->surfaces[i].waive);
	}
	free(config->surfaces);
	strvec_release(&config->trusted_folders);
	*config = GATE_CONFIG_INIT;
}

/* trusted_folders: absolute paths. */
static int read_trusted_folders(
    const struct json *list, struct gate_config *config, struct err *err)
{
	if (!json_is(list, JSON_ARRAY))
		return err_set(err, ERR_CONFIGURATION, "trusted_folders is no list");
	json_foreach (item, list) {
		const char *path = json_text(item);

		if (path == NULL || path[0] != '/')
			return err_set(
			    err, ERR_CONFIGURATION, "trusted_folders: each is an absolute path");
		strvec_push(&config->trusted_folders, path);
	}
	return 0;
}

/* waive: names of tools. */
static int read_waive(const struct json *list, struct gate_surface_config *entry, struct err *err)
{
	if (!json_is(list, JSON_ARRAY))
		return err_set(err, ERR_CONFIGURATION, "surfaces.%s.waive is no list", entry->name);
	json_foreach (item, list) {
		if (json_text(item) == NULL)
			return err_set(err, ERR_CONFIGURATION, "surfaces.%s.waive: each is a tool",
			    entry->name);
		strvec_push(&entry->waive, json_text(item));
	}
	return 0;
}

static int read_surface(
    const struct json *settings, struct gate_surface_config *entry, struct err *err)
{
	if (!json_is(settings, JSON_OBJECT))
		return err_set(err, ERR_CONFIGURATION, "surfaces.%s is no mapping", entry->name);
	json_foreach_member (key, value, settings) {
		if (json_is_text(key, "writes") && json_is_text(value, "open"))
			entry->is_open = true;
		else if (json_is_text(key, "writes"))
			return err_set(err, ERR_CONFIGURATION,
			    "surfaces.%s.writes: only \"open\" is known", entry->name);
		else if (!json_is_text(key, "waive"))
			return err_set(err, ERR_CONFIGURATION, "surfaces.%s: unknown key \"%.40s\"",
			    entry->name, key->str);
		else if (read_waive(value, entry, err) < 0)
			return -1;
	}
	return 0;
}

/* surfaces: {NAME: {writes: open, waive: [TOOL]}} */
static int read_surfaces(const struct json *map, struct gate_config *config, struct err *err)
{
	if (!json_is(map, JSON_OBJECT))
		return err_set(err, ERR_CONFIGURATION, "surfaces is no mapping");
	json_foreach_member (key, value, map) {
		struct gate_surface_config *entry;

		ARRAY_GROW(config->surfaces, config->surfaces_len, config->surfaces_cap);
		entry = &config->surfaces[config->surfaces_len++];
		*entry = (struct gate_surface_config){ .name = xstrdup(key->str) };
		if (read_surface(value, entry, err) < 0)
			return -1;
	}
	return 0;
}

/* One list makes reader and checker. */
static const struct config_key {
	const char *name;
	int (*read)(const struct json *value, struct gate_config *config, struct err *err);
} config_keys[] = {
	{ "surfaces", read_surfaces },
	{ "trusted_folders", read_trusted_folders },
};

static int read_config(const struct json *root, struct gate_config *config, struct err *err)
{
	if (json_is(root, JSON_NULL))
		return 0;
	if (!json_is(root, JSON_OBJECT))
		return err_set(err, ERR_CONFIGURATION, "it is no mapping");
	json_foreach_member (key, value, root) {
		const struct config_key *known = NULL;

		for (size_t i = 0; i < ARRAY_LEN(config_keys) && known == NULL; i++) {
			if (json_is_text(key, config_keys[i].name))
				known = &config_keys[i];
		}
		if (known == NULL)
			return err_set(err, ERR_CONFIGURATION, "unknown key \"%.40s\"", key->str);
		if (known->read(value, config, err) < 0)
			return -1;
	}
	return 0;
}

int gate_config_load(const char *data_dir, struct gate_config *ret_config, struct err *err)
{
	cleanup_buf struct buf text = BUF_INIT_MAX(LIMIT_YAML_BYTES);
	cleanup_buf struct buf json = BUF_INIT;
	cleanup_json struct json_doc doc = JSON_DOC_INIT;
	struct gate_config config = GATE_CONFIG_INIT;
	int found = dirs_read_host_file(data_dir, CONFIG_FILE, &text, err);

	if (found < 0)
		return -1;
	if (found == 1 &&
	    (yaml_read(text.data, text.len, &yaml_limits_file, &json, NULL, err) < 0 ||
		json_read(&doc, json.data, json.len, err) < 0 ||
		read_config(json_root(&doc), &config, err) < 0)) {
		gate_config_release(&config);
		return err_wrap(err, "%s/%s", data_dir, CONFIG_FILE);
	}
	gate_config_release(ret_config);
	*ret_config = config;
	return 0;
}

bool gate_config_trusts(const struct gate_config *config, const char *path)
{
	return dirs_is_below_any(path, &config->trusted_folders);
}
