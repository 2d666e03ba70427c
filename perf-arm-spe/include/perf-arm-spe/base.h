/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * base: what every room shares: status codes, errors, log and progress
 * callbacks, output.
 *
 * The library never prints, never exits and keeps no mutable statics.  Every
 * function that can fail returns an enum spe_status as int; results come
 * through out parameters.
 */
#ifndef PERF_ARM_SPE_BASE_H
#define PERF_ARM_SPE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks a symbol of the public interface; everything else is hidden. */
#define SPE_API __attribute__((visibility("default")))
/** The caller must look at the status. */
#define SPE_MUST_CHECK __attribute__((warn_unused_result))

/*
 * One list keeps code, number and text together.  Numbers are part of the ABI
 * and never change; 0 is success, positive values are not failures.
 */
#define SPE_STATUS_LIST(X)                                                                         \
	X(OK, 0, "success")                                                                        \
	X(END, 1, "no more items")                                                                 \
	X(NEED_MORE, -1, "more bytes are needed")                                                  \
	X(CORRUPT, -2, "the bytes are damaged")                                                    \
	X(UNSUPPORTED, -3, "valid, but not supported by this build")                               \
	X(INVALID, -4, "a caller passed an argument that is not valid")                            \
	X(INTERNAL, -5, "a fault inside perf-arm-spe")                                             \
	X(NOMEM, -6, "out of memory")                                                              \
	X(IO, -7, "the system refused to read or write")                                           \
	X(LIMIT, -8, "a limit stated in limits.h was reached")                                     \
	X(NOT_PERFDATA, -9, "not a perf.data file")                                                \
	X(NO_SPE, -10, "no Arm SPE data in this file")                                             \
	X(NOT_FOUND, -11, "not found")                                                             \
	X(CLOSED, -12, "the reader of the output went away")                                       \
	X(CANCELLED, -13, "stopped by the caller")

enum spe_status {
#define SPE_STATUS_ENUM(name, value, text) SPE_##name = (value),
	SPE_STATUS_LIST(SPE_STATUS_ENUM)
#undef SPE_STATUS_ENUM
};

/** The fixed text of a status; "unknown status" for anything else. Never NULL. */
SPE_API const char *spe_status_text(int status);

/** Room for the text of an error, terminating NUL included. */
#define SPE_ERROR_TEXT 512

/**
 * What went wrong, where, and what to do.  Filled by functions that take one;
 * a NULL pointer is allowed everywhere and means the caller does not want it.
 */
struct spe_error {
	int status;                /**< enum spe_status */
	int sys_errno;             /**< errno of the system call, 0 when none */
	bool has_offset;           /**< offset is meaningful */
	uint64_t offset;           /**< byte offset in the file */
	char text[SPE_ERROR_TEXT]; /**< one line: file, offset, what, remedy; no newline */
};

/**
 * Fill an error: status, and a printf-formatted one-line text.
 * Returns status, so that `return spe_error_set(err, ...)` reads well.
 */
SPE_API int spe_error_set(struct spe_error *err, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** As spe_error_set(), and remembers the byte offset in the file. */
SPE_API int spe_error_set_at(struct spe_error *err, int status, uint64_t offset, const char *format,
			     ...) __attribute__((format(printf, 4, 5)));

enum spe_log_level {
	SPE_LOG_WARNING, /**< the answer may surprise; shown by default */
	SPE_LOG_NOTE,    /**< worth knowing; shown by default */
	SPE_LOG_DEBUG,   /**< shown with -v */
};

/** Called with one line of text, no newline; may be called from any worker thread. */
typedef void (*spe_log_fn)(void *priv, enum spe_log_level level, const char *text);

/** Called now and then during long work; from one thread at a time. total may be 0 (unknown). */
typedef void (*spe_progress_fn)(void *priv, const char *what, uint64_t done, uint64_t total);

/** The caller's ears.  All zero means: say nothing. */
struct spe_listener {
	spe_log_fn log;
	void *log_priv;
	spe_progress_fn progress;
	void *progress_priv;
};

/** Format one line and hand it to the listener's log callback, if there is one. */
SPE_API void spe_log(const struct spe_listener *listener, enum spe_log_level level,
		     const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Tell the listener how far long work has come, if it has a progress callback. */
SPE_API void spe_progress(const struct spe_listener *listener, const char *what, uint64_t done,
			  uint64_t total);

/**
 * Where text goes.  write() takes all n bytes or returns a negative status
 * (SPE_CLOSED for a reader that went away, SPE_IO otherwise).
 */
struct spe_out {
	int (*write)(void *priv, const char *bytes, size_t n);
	void *priv;
};

/** Version of the library as text, e.g. "1.0.0". Never NULL. */
SPE_API const char *spe_version(void);

/**
 * Build features, one a call: index 0, 1, ... gives a name ("libzstd") and
 * whether it was built in; SPE_END after the last.
 */
SPE_API int spe_feature(unsigned index, const char **name, bool *present);

#ifdef __cplusplus
}
#endif
#endif
