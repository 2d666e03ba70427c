/* SPDX-License-Identifier: GPL-2.0-only */
#include <perf-arm-spe/base.h>

#include <stdio.h>
#include <string.h>

const char *spe_status_text(int status)
{
	switch (status) {
#define SPE_STATUS_CASE(name, value, text)                                                         \
	case SPE_##name:                                                                           \
		return text;
		SPE_STATUS_LIST(SPE_STATUS_CASE)
#undef SPE_STATUS_CASE
	}
	return "unknown status";
}

static int error_fill(struct spe_error *err, int status, const char *format, va_list args)
{
	if (!err)
		return status;
	memset(err, 0, sizeof(*err));
	err->status = status;
	vsnprintf(err->text, sizeof(err->text), format, args);
	return status;
}

int spe_error_set(struct spe_error *err, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_fill(err, status, format, args);
	va_end(args);
	return status;
}

int spe_error_set_at(struct spe_error *err, int status, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_fill(err, status, format, args);
	va_end(args);
	if (err) {
		err->has_offset = true;
		err->offset = offset;
	}
	return status;
}

void spe_log(const struct spe_listener *listener, enum spe_log_level level, const char *format, ...)
{
	char text[SPE_ERROR_TEXT];
	va_list args;

	if (!listener || !listener->log)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	listener->log(listener->log_priv, level, text);
}

void spe_progress(const struct spe_listener *listener, const char *what, uint64_t done,
		  uint64_t total)
{
	if (listener && listener->progress)
		listener->progress(listener->progress_priv, what, done, total);
}
