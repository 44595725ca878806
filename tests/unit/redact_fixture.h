/* SPDX-License-Identifier: MIT */
#ifndef UNIT_REDACT_FIXTURE_H
#define UNIT_REDACT_FIXTURE_H

/* A redactor and known values, released by each test; and masks without their marker, which is
 * another one in each run. Include after unit.h. */

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "run/run_redact.h"

struct secrets {
	struct redact_host *host;
	struct redactor *redactor;
	struct redactor_values values;
};

static inline struct secrets secrets_new(const char *value)
{
	struct secrets secrets = { .host = redact_host_new(NULL), .values = REDACTOR_VALUES_INIT };

	secrets.redactor = redactor_new(secrets.host);
	if (value != NULL)
		redactor_values_add(&secrets.values, value, strlen(value));
	return secrets;
}

static inline void secrets_release(struct secrets *secrets)
{
	redactor_free(secrets->redactor);
	redactor_values_release(&secrets->values);
	redact_host_free(secrets->host);
}

/* "[masked:NAME:MARKER]" becomes "[masked:NAME]", in place. */
static inline void drop_marker(struct redact_host *host, struct buf *text)
{
	cleanup_err struct err err = ERR_INIT;
	const char *marker = redact_host_marker(host, &err);
	cleanup_free char *end = xasprintf(":%s]", marker);
	cleanup_buf struct buf plain = BUF_INIT;
	const char *at = text->data;

	for (const char *hit; (hit = strstr(at, end)) != NULL; at = hit + strlen(end) - 1)
		buf_add(&plain, at, (size_t)(hit - at));
	buf_adds(&plain, at);
	buf_reset(text);
	buf_add(text, plain.data, plain.len);
}

#endif
