/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys: which function, file and source line; which data object.
 *
 * A symbol's value is its id.  Where none is known the address is the value, as
 * in perf, with the kind of code and, where it fits, the file it is in.
 */
#include "keys-private.h"
#include "lookup.h"

#include <perf-arm-spe/limits.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- values --------------------------------------------------------------- */

/* Bits of a value without a symbol. */
#define KIND_SHIFT 60
#define IN_DSO (1ull << 59)
#define DSO_SHIFT 41
#define DSO_MASK ((1ull << (59 - DSO_SHIFT)) - 1)
#define OFFSET_MASK ((1ull << DSO_SHIFT) - 1)
#define ADDRESS_MASK ((1ull << 56) - 1)

_Static_assert(SPE_LIMIT_DSOS <= DSO_MASK + 1, "the id of a dso fits");

enum { KIND_USER, KIND_KERNEL, KIND_GUEST_KERNEL, KIND_GUEST_USER };

static const char kind_letters[] = { '.', 'k', 'g', 'u' };

static uint64_t kind_of(const struct spe_sample *s, bool kernel)
{
	return s->guest == SPE_GUEST_KERNEL  ? KIND_GUEST_KERNEL
	       : s->guest == SPE_GUEST_MAYBE ? KIND_GUEST_USER
	       : kernel                      ? KIND_KERNEL
					     : KIND_USER;
}

static uint64_t symbol_value(const struct spe_symbol *symbol, const struct spe_sample *s,
			     bool kernel)
{
	uint64_t value = UNRESOLVED | kind_of(s, kernel) << KIND_SHIFT;

	if (symbol->id != SPE_SYMBOL_NONE)
		return symbol->id;
	if (symbol->dso_id != SPE_DSO_NONE && symbol->dso_offset <= OFFSET_MASK)
		return value | IN_DSO | (uint64_t)symbol->dso_id << DSO_SHIFT | symbol->dso_offset;
	return value | (symbol->dso_offset & ADDRESS_MASK);
}

/* Names of files, then what stands for them. */
#define DSO_UNKNOWN UNRESOLVED
#define DSO_GUEST (UNRESOLVED | 1)
#define DSO_GUEST_MAYBE (UNRESOLVED | 2)

static uint64_t dso_value(const struct spe_symbol *symbol, const struct spe_sample *s)
{
	return s->guest == SPE_GUEST_KERNEL          ? DSO_GUEST
	       : s->guest == SPE_GUEST_MAYBE         ? DSO_GUEST_MAYBE
	       : symbol->dso_name_id != SPE_DSO_NONE ? symbol->dso_name_id
						     : DSO_UNKNOWN;
}

#define CODE_OF(s) spe_lookup_code(c->lookup, s)
#define DATA_OF(s) spe_lookup_data(c->lookup, s)
#define IN_KERNEL(s) (HAS(EL) ? s->record.el != 0 : spe_is_kernel_address(s->record.pc))

FILL(sym, HAS(PC) ? symbol_value(CODE_OF(s), s, IN_KERNEL(s)) : ABSENT)
FILL(dso, HAS(PC) ? dso_value(CODE_OF(s), s) : ABSENT)
FILL(symbol_daddr,
     HAS(VA) ? symbol_value(DATA_OF(s), s, spe_is_kernel_address(s->record.va)) : ABSENT)
FILL(dso_daddr, HAS(VA) ? dso_value(DATA_OF(s), s) : ABSENT)

/* ---- texts ------------------------------------------------------------------ */

static uint64_t value_address(uint64_t value)
{
	uint64_t address = value & (value & IN_DSO ? OFFSET_MASK : ADDRESS_MASK);

	return !(value & IN_DSO) && spe_is_kernel_address(address) ? address | ~ADDRESS_MASK
								   : address;
}

static void sym_cell(const struct spe_value *v, struct spe_cell *cell)
{
	struct spe_symbol symbol;

	if (v->value == ABSENT)
		spe_cell_none(cell);
	else if (v->value & UNRESOLVED)
		spe_cell_hex(cell, value_address(v->value));
	else if (spe_symbols_by_id(v->context->symbols->symbols, v->value, &symbol) == SPE_OK)
		spe_cell_text(cell, symbol.name);
	else
		spe_cell_none(cell);
}

static char kind_letter(const struct spe_value *v)
{
	struct spe_symbol symbol;

	if (v->value & UNRESOLVED)
		return kind_letters[v->value >> KIND_SHIFT & 3];
	return spe_symbols_by_id(v->context->symbols->symbols, v->value, &symbol) == SPE_OK &&
			       symbol.kernel
		       ? 'k'
		       : '.';
}

/* perf's "[.] name", "[k] 0xffff800008001000". */
static size_t sym_text(const struct spe_value *v, char *to, size_t room)
{
	struct spe_cell cell;
	char *at = to;

	if (v->value == ABSENT)
		return (size_t)snprintf(to, room, ABSENT_TEXT);
	*at++ = '[';
	*at++ = kind_letter(v);
	at = spe_put_bytes(at, "] ", 2);
	if (v->value & UNRESOLVED) {
		at = spe_put_hex_pad(spe_put_bytes(at, "0x", 2), value_address(v->value), 16, '0');
		*at = '\0';
		return (size_t)(at - to);
	}
	sym_cell(v, &cell);
	return (size_t)(at - to) + spe_name_escape(at, room - (size_t)(at - to),
						   cell.kind == SPE_CELL_TEXT ? cell.text : "");
}

static void dso_cell(const struct spe_value *v, struct spe_cell *cell)
{
	static const char *const names[] = { "[unknown]", "[guest.kernel]", "[guest or host]" };
	const char *name;

	if (v->value == ABSENT)
		spe_cell_none(cell);
	else if (v->value & UNRESOLVED)
		spe_cell_text(cell, names[v->value & 3]);
	else if ((name = spe_symbols_dso_name(v->context->symbols->symbols, (uint32_t)v->value)))
		spe_cell_text(cell, name);
	else
		spe_cell_none(cell);
}

/* ---- source lines --------------------------------------------------------------- */

/* What perf prints where there is no line: "symbol+offset", "file[address]". */
static void line_text(struct spe_symbols *symbols, const struct spe_symbol *symbol, char *to,
		      size_t room, struct spe_lookup *lookup)
{
	int status = spe_symbols_srcline(symbols, symbol, false, to, room);

	if (status == SPE_NOMEM && !lookup->status)
		lookup->status = status;
	if (!status)
		return;
	if (symbol->name)
		snprintf(to, room, "%s+%llu", symbol->name, (unsigned long long)symbol->offset);
	else if (symbol->dso_name)
		snprintf(to, room, "%s[%llx]", symbol->dso_name,
			 (unsigned long long)symbol->dso_offset);
	else
		snprintf(to, room, "??:0");
}

/* The number of a line's text; equal texts, equal numbers. */
static uint64_t line_number(const struct spe_key_context *c, const struct spe_symbol *symbol)
{
	struct spe_key_symbols *shared = c->symbols;
	char text[SPE_CELL_BYTES];
	uint32_t number = 0;
	int status;

	line_text(shared->symbols, symbol, text, sizeof(text), c->lookup);
	pthread_mutex_lock(&shared->lock);
	status = spe_strings_add(shared->lines, text, strlen(text), &number);
	pthread_mutex_unlock(&shared->lock);
	if (status && !c->lookup->status)
		c->lookup->status = status;
	return number;
}

static uint64_t line_value(const struct spe_key_context *c, const struct spe_sample *s)
{
	const struct spe_symbol *symbol = CODE_OF(s);
	uint64_t key = (uint64_t)symbol->dso_id << 40 ^ symbol->dso_offset;
	struct spe_known_line *known =
		&c->lines[(key * 0x9e3779b97f4a7c15ull >> 32) % SPE_KNOWN_LINES];

	if (!known->set || known->dso_id != symbol->dso_id || known->offset != symbol->dso_offset) {
		uint64_t number = line_number(c, symbol);

		*known = (struct spe_known_line){ symbol->dso_offset, symbol->dso_id,
						  (uint32_t)number, true };
	}
	return known->number;
}

FILL(srcline, HAS(PC) ? line_value(c, s) : ABSENT)

static void srcline_cell(const struct spe_value *v, struct spe_cell *cell)
{
	const char *text = spe_strings_get(v->context->symbols->lines, (uint32_t)v->value);

	v->value == ABSENT || !text ? spe_cell_none(cell) : spe_cell_text(cell, text);
}

/* ---- order ------------------------------------------------------------------------ */

/* Rows of equal weight by name: numbers depend on who came first. */
static int compare_cells(void (*make)(const struct spe_value *, struct spe_cell *),
			 const struct spe_key_context *context, uint64_t a, uint64_t b)
{
	struct spe_value va = { .context = context, .value = a };
	struct spe_value vb = { .context = context, .value = b };
	struct spe_cell ca;
	struct spe_cell cb;
	int order;

	make(&va, &ca);
	make(&vb, &cb);
	if (ca.kind != SPE_CELL_TEXT || cb.kind != SPE_CELL_TEXT)
		return ca.kind - cb.kind;
	order = strcmp(ca.text, cb.text);
	return order ? order : (a > b) - (a < b);
}

/* Names first, then addresses by number. */
static int sym_order(const struct spe_key_context *context, uint64_t a, uint64_t b)
{
	return (a | b) & UNRESOLVED ? (a > b) - (a < b) : compare_cells(sym_cell, context, a, b);
}

static int dso_order(const struct spe_key_context *context, uint64_t a, uint64_t b)
{
	return compare_cells(dso_cell, context, a, b);
}

static int srcline_order(const struct spe_key_context *context, uint64_t a, uint64_t b)
{
	return compare_cells(srcline_cell, context, a, b);
}

/* ---- life --------------------------------------------------------------------------- */

int spe_key_context_symbols(struct spe_key_context *context, const struct spe_symbols_opts *opts)
{
	struct spe_perfdata *pd = spe_recording_perfdata(context->recording);
	struct spe_key_symbols *shared = calloc(1, sizeof(*shared));
	int status;

	if (!shared)
		return SPE_NOMEM;
	pthread_mutex_init(&shared->lock, NULL);
	context->symbols = shared;
	status = spe_strings_new(SPE_LIMIT_SYMBOLS, &shared->lines);
	return status ? status : spe_symbols_open(pd, opts, &shared->symbols);
}

void spe_key_symbols_free(struct spe_key_symbols *shared)
{
	if (!shared)
		return;
	spe_strings_free(shared->lines);
	spe_symbols_free(shared->symbols);
	pthread_mutex_destroy(&shared->lock);
	free(shared);
}

int spe_key_worker_init(struct spe_key_context *worker, const struct spe_key_context *context)
{
	*worker = *context;
	if (!context->symbols)
		return SPE_OK;
	worker->lookup = calloc(1, sizeof(*worker->lookup));
	worker->lines = calloc(SPE_KNOWN_LINES, sizeof(*worker->lines));
	if (!worker->lookup || !worker->lines ||
	    spe_lookup_init(worker->lookup, context->recording, context->symbols->symbols)) {
		spe_key_worker_fini(worker);
		return SPE_NOMEM;
	}
	return SPE_OK;
}

int spe_key_worker_status(const struct spe_key_context *worker)
{
	return worker->lookup ? worker->lookup->status : SPE_OK;
}

void spe_key_worker_fini(struct spe_key_context *worker)
{
	if (worker->lookup)
		spe_lookup_fini(worker->lookup);
	free(worker->lookup);
	free(worker->lines);
	worker->lookup = NULL;
	worker->lines = NULL;
}

/* ---- the table ------------------------------------------------------------------------ */

#define WANT_CODE (SPE_HAS_PC | SPE_HAS_EL)
#define SYMBOL_KEY(name_, header_, want_, cell_, text_, help_)                                     \
	.name = name_, .header = header_, .help = help_, .want = want_, .symbols = true,           \
	.cell = cell_##_cell, .order = cell_##_order, .text = text_

const struct spe_key spe_keys_symbols[] = {
	{ SYMBOL_KEY("sym", "Symbol", WANT_CODE, sym, sym_text,
		     "function; its address if not known"),
	  .field = "sym", .fill = sym_fill },
	{ SYMBOL_KEY("symbol", "Symbol", WANT_CODE, sym, sym_text, "same as sym"), .field = "sym",
	  .alias = true, .fill = sym_fill },
	{ SYMBOL_KEY("dso", "Shared Object", WANT_CODE, dso, NULL,
		     "program or library the code is in, [kernel.kallsyms], [module]"),
	  .field = "dso", .fill = dso_fill },
	{ SYMBOL_KEY("srcline", "Source:Line", WANT_CODE, srcline, NULL,
		     "line of the source the code comes from"),
	  .field = "srcline", .fill = srcline_fill },
	{ SYMBOL_KEY("symbol_daddr", "Data Symbol", SPE_HAS_VA, sym, sym_text,
		     "data object the access was to; its address if not known"),
	  .field = "symbol_daddr", .fill = symbol_daddr_fill },
	{ SYMBOL_KEY("dso_daddr", "Data Object", SPE_HAS_VA, dso, NULL,
		     "program or library the data is in, [heap], [stack], anon"),
	  .field = "dso_daddr", .fill = dso_daddr_fill },
	{ .name = NULL },
};
