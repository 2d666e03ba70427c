/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "packets.h"

#define EVENT_BITS 64
#define OP_CLASSES 3 /* those with names */
#define OP_PAYLOADS 256
#define OP_NAME_BYTES 48

/* ---- operations: the library's own words, looked up backwards ----------- */

static const struct op_names {
	char text[OP_CLASSES][OP_PAYLOADS][OP_NAME_BYTES];
} * op_names(void)
{
	static struct op_names names;
	struct spe_packet p = { .kind = SPE_PACKET_OPERATION,
				.header_bytes = 1,
				.payload_bytes = 1 };

	if (names.text[0][0][0])
		return &names;
	for (unsigned c = 0; c < OP_CLASSES; c++)
		for (unsigned payload = 0; payload < OP_PAYLOADS; payload++) {
			p.index = (uint8_t)c;
			p.payload = payload;
			spe_packet_describe(&p, 0, names.text[c][payload], OP_NAME_BYTES);
		}
	return &names;
}

static const struct {
	const char *name, *words;
} op_aliases[] = {
	{ "load", "LD GP-REG" },      { "store", "ST GP-REG" },        { "branch", "B" },
	{ "branch-cond", "B COND" },  { "branch-indirect", "B IND" },  { "call", "B CR-BL" },
	{ "return", "B IND CR-RET" }, { "other", "OTHER INSN-OTHER" },
};

bool packet_operation(const char *text, uint8_t *op_class, uint8_t *payload)
{
	const struct op_names *names = op_names();

	for (size_t i = 0; i < sizeof(op_aliases) / sizeof(op_aliases[0]); i++)
		if (!strcasecmp(text, op_aliases[i].name))
			text = op_aliases[i].words;
	for (unsigned c = 0; c < OP_CLASSES && *text; c++)
		for (unsigned p = 0; p < OP_PAYLOADS; p++)
			if (!strcasecmp(text, names->text[c][p])) {
				*op_class = (uint8_t)c;
				*payload = (uint8_t)p;
				return true;
			}
	return false;
}

static void parse_operation(struct words *words, struct spe_packet *p)
{
	struct buffer text = { 0 };
	const char *class_key = words_key(words, "class"), *word;
	uint8_t payload;

	p->kind = SPE_PACKET_OPERATION;
	p->payload_bytes = 1;
	p->payload = words_key_number(words, "payload", 0);
	if (class_key) {
		p->index = words_to_byte(words, class_key);
		return;
	}
	while ((word = words_maybe(words)))
		buffer_printf(&text, "%s%s", text.n ? " " : "", word);
	buffer_u8(&text, 0);
	if (!packet_operation((char *)text.bytes, &p->index, &payload))
		die_at(&words->place, "op: no operation is called '%s'", (char *)text.bytes);
	p->payload = payload;
	buffer_free(&text);
}

static void print_operation(const struct spe_packet *p, struct buffer *text)
{
	char name[OP_NAME_BYTES];
	uint8_t op_class = 0, payload = 0;

	spe_packet_describe(p, 0, name, sizeof(name));
	if (packet_operation(name, &op_class, &payload) && op_class == p->index &&
	    payload == p->payload) {
		for (char *at = name; *at; at++)
			*at = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at);
		buffer_printf(text, "op %s", name);
	} else {
		buffer_printf(text, "op class=%u payload=0x%02x", p->index, (unsigned)p->payload);
	}
}

/* ---- events -------------------------------------------------------------- */

static unsigned event_bit(const struct words *words, const char *name, size_t n)
{
	char text[64];
	uint64_t bit;

	for (unsigned i = 0; i < EVENT_BITS; i++) {
		const char *known = spe_event_name(i, 0);

		if (known && strlen(known) == n && !strncasecmp(known, name, n))
			return i;
	}
	if (!n || n >= sizeof(text) || name[0] < '0' || name[0] > '9')
		die_at(&words->place, "%s: no event is called '%.*s'", words->keyword, (int)n,
		       name);
	memcpy(text, name, n);
	text[n] = '\0';
	bit = words_to_number(words, text);
	if (bit >= EVENT_BITS)
		die_at(&words->place, "%s: events end at bit 63", words->keyword);
	return (unsigned)bit;
}

uint64_t packet_events(const struct words *words, const char *text)
{
	uint64_t events = 0;

	if (!strcmp(text, "none"))
		return 0;
	if (!strncmp(text, "0x", 2))
		return words_to_number(words, text);
	for (;;) {
		size_t n = strcspn(text, ",");

		events |= UINT64_C(1) << event_bit(words, text, n);
		if (!text[n])
			return events;
		text += n + 1;
	}
}

static uint8_t take_bytes(struct words *words, uint8_t otherwise)
{
	const char *text = words_key(words, "bytes");

	return text ? words_to_byte(words, text) : otherwise;
}

static void parse_events(struct words *words, struct spe_packet *p)
{
	p->kind = SPE_PACKET_EVENTS;
	p->payload = packet_events(words, words_take(words, "a list of events"));
	p->payload_bytes = take_bytes(words, PACKET_EVENTS_BYTES);
}

static void print_events(const struct spe_packet *p, struct buffer *text)
{
	const char *lead = " ";

	buffer_printf(text, "events");
	for (unsigned bit = 0; bit < EVENT_BITS; bit++) {
		const char *name = spe_event_name(bit, 0);

		if (!(p->payload >> bit & 1))
			continue;
		buffer_printf(text, "%s", lead);
		lead = ",";
		if (!name)
			buffer_printf(text, "%u", bit);
		for (; name && *name; name++)
			buffer_u8(text,
				  (uint8_t)(*name >= 'A' && *name <= 'Z' ? *name | 0x20 : *name));
	}
	if (!p->payload)
		buffer_printf(text, " none");
	if (p->payload_bytes != PACKET_EVENTS_BYTES)
		buffer_printf(text, " bytes=%u", p->payload_bytes);
}

static void parse_source(struct words *words, struct spe_packet *p)
{
	p->kind = SPE_PACKET_DATA_SOURCE;
	p->payload = words_number(words, "a value");
	p->payload_bytes = take_bytes(words, PACKET_SOURCE_BYTES);
}

static void print_source(const struct spe_packet *p, struct buffer *text)
{
	buffer_printf(text, "data-source %llu", (unsigned long long)p->payload);
	if (p->payload_bytes != PACKET_SOURCE_BYTES)
		buffer_printf(text, " bytes=%u", p->payload_bytes);
}

/* ---- addresses ----------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned top;
} securities[] = {
	{ "nonsecure", PACKET_TOP_NS },
	{ "secure", 0 },
	{ "root", PACKET_TOP_NSE },
	{ "realm", PACKET_TOP_NSE | PACKET_TOP_NS },
};

#define SECURITIES (sizeof(securities) / sizeof(securities[0]))
#define SECURITY_MASK (PACKET_TOP_NS | PACKET_TOP_NSE)

static unsigned take_security(struct words *words)
{
	for (size_t i = 0; i < SECURITIES; i++)
		if (words_flag(words, securities[i].name))
			return securities[i].top;
	return securities[0].top;
}

static const char *security_word(unsigned top)
{
	for (size_t i = 1; i < SECURITIES; i++)
		if (securities[i].top == (top & SECURITY_MASK))
			return securities[i].name;
	return NULL;
}

/* Bits 55:0 of an address as people write it, canonical or not. */
static uint64_t bare_address(const struct words *words, uint64_t address)
{
	unsigned top = (unsigned)(address >> PACKET_TOP_SHIFT);

	if (top != 0 && top != 0xff)
		die_at(&words->place, "%s: bits 63:56 are not address; say top=0x%02x",
		       words->keyword, top);
	return address & PACKET_ADDRESS_MASK;
}

unsigned packet_default_el(uint64_t address, unsigned kernel_el)
{
	return address >> (PACKET_TOP_SHIFT - 1) & 1 ? kernel_el : 0;
}

uint64_t packet_code_address(const struct words *words, uint64_t address, unsigned el,
			     unsigned security_top)
{
	return bare_address(words, address) | (uint64_t)(security_top | PACKET_TOP_EL(el))
						      << PACKET_TOP_SHIFT;
}

static unsigned take_el(struct words *words, unsigned otherwise)
{
	static const char *const names[] = { "el0", "el1", "el2", "el3" };

	for (unsigned el = 0; el < sizeof(names) / sizeof(names[0]); el++)
		if (words_flag(words, names[el]))
			return el;
	return otherwise;
}

static uint64_t with_top(struct words *words, uint64_t payload, const char *key)
{
	uint64_t top = words_key_number(words, key, payload >> PACKET_TOP_SHIFT);

	if (top > 0xff)
		die_at(&words->place, "%s: %s= is one byte", words->keyword, key);
	return (payload & PACKET_ADDRESS_MASK) | top << PACKET_TOP_SHIFT;
}

static void parse_code(struct words *words, unsigned kernel_el, struct spe_packet *p)
{
	unsigned security = take_security(words);
	unsigned el = take_el(words, UINT32_MAX);
	uint64_t address = words_number(words, "an address");

	if (el == UINT32_MAX)
		el = packet_default_el(address, kernel_el);
	p->payload = with_top(words, packet_code_address(words, address, el, security), "top");
}

static void parse_physical(struct words *words, struct spe_packet *p)
{
	unsigned top = take_security(words);

	if (words_flag(words, "ch"))
		top |= PACKET_TOP_CH;
	top |= (unsigned)words_key_number(words, "pat", 0) & PACKET_TOP_PAT_MASK;
	p->payload = bare_address(words, words_number(words, "an address")) |
		     (uint64_t)top << PACKET_TOP_SHIFT;
	p->payload = with_top(words, p->payload, "top");
}

static void parse_address(struct words *words, unsigned kernel_el, unsigned index,
			  struct spe_packet *p)
{
	p->kind = SPE_PACKET_ADDRESS;
	p->payload_bytes = 8;
	p->index = (uint8_t)index;
	if (index == SPE_ADDRESS_PA)
		parse_physical(words, p);
	else if (index == SPE_ADDRESS_VA)
		p->payload = with_top(words, words_number(words, "an address"), "tag");
	else
		parse_code(words, kernel_el, p);
}

static void parse_any_address(struct words *words, struct spe_packet *p)
{
	p->kind = SPE_PACKET_ADDRESS;
	p->payload_bytes = 8;
	p->index = words_to_byte(words, words_take(words, "an index"));
	p->payload = words_number(words, "a value");
}

static const char *const address_names[] = {
	[SPE_ADDRESS_PC] = "pc", [SPE_ADDRESS_TARGET] = "tgt",      [SPE_ADDRESS_VA] = "va",
	[SPE_ADDRESS_PA] = "pa", [SPE_ADDRESS_PREV_TARGET] = "pbt",
};

#define ADDRESS_NAMES (sizeof(address_names) / sizeof(address_names[0]))

static void print_address(const struct spe_packet *p, struct buffer *text)
{
	unsigned long long address = p->payload & PACKET_ADDRESS_MASK;
	unsigned top = (unsigned)(p->payload >> PACKET_TOP_SHIFT);
	const char *security = security_word(top);

	if (p->index >= ADDRESS_NAMES) {
		buffer_printf(text, "address %u 0x%llx", p->index, (unsigned long long)p->payload);
		return;
	}
	buffer_printf(text, "%s ", address_names[p->index]);
	if (p->index == SPE_ADDRESS_VA) {
		buffer_printf(text, "0x%llx", (unsigned long long)p->payload);
		return;
	}
	buffer_printf(text, "0x%llx", address);
	if (p->index == SPE_ADDRESS_PA) {
		if (top & ~(unsigned)(SECURITY_MASK | PACKET_TOP_CH | PACKET_TOP_PAT_MASK)) {
			buffer_printf(text, " top=0x%02x", top);
			return;
		}
		buffer_printf(text, "%s", top & PACKET_TOP_CH ? " ch" : "");
		if (top & PACKET_TOP_PAT_MASK)
			buffer_printf(text, " pat=%u", top & PACKET_TOP_PAT_MASK);
	} else {
		if (top & PACKET_TOP_PAT_MASK) {
			buffer_printf(text, " top=0x%02x", top);
			return;
		}
		buffer_printf(text, " el%u", PACKET_TOP_EL_OF(top));
	}
	if (security)
		buffer_printf(text, " %s", security);
}

/* ---- the small ones ------------------------------------------------------ */

static const char *const counter_names[] = {
	[SPE_COUNTER_TOTAL] = "total",
	[SPE_COUNTER_ISSUE] = "issue",
	[SPE_COUNTER_TRANSLATION] = "xlat",
	NULL,
};

#define COUNTER_NAMES (sizeof(counter_names) / sizeof(counter_names[0]) - 1)

static void parse_counter(struct words *words, struct spe_packet *p)
{
	const char *index = words_key(words, "index");

	p->kind = SPE_PACKET_COUNTER;
	p->payload_bytes = 2;
	p->payload = words_number(words, "a count of cycles");
	p->index = (uint8_t)(index ? words_to_number(words, index)
				   : words_choice(words, words_take(words, "which latency"),
						  counter_names));
}

static void print_counter(const struct spe_packet *p, struct buffer *text)
{
	if (p->index < COUNTER_NAMES)
		buffer_printf(text, "lat %u %s", (unsigned)p->payload, counter_names[p->index]);
	else
		buffer_printf(text, "lat %u index=%u", (unsigned)p->payload, p->index);
}

static void parse_context(struct words *words, struct spe_packet *p)
{
	static const char *const levels[] = { "el1", "el2", "el3", "el4", NULL };

	p->kind = SPE_PACKET_CONTEXT;
	p->payload_bytes = 4;
	p->payload = words_to_u32(words, words_take(words, "a value"));
	p->index = (uint8_t)words_choice(words, words_take(words, "el1 or el2"), levels);
}

static void print_context(const struct spe_packet *p, struct buffer *text)
{
	buffer_printf(text, "context %u el%u", (unsigned)p->payload, p->index + 1u);
}

static void parse_timestamp(struct words *words, struct spe_packet *p)
{
	p->kind = SPE_PACKET_TIMESTAMP;
	p->payload_bytes = 8;
	p->payload = words_number(words, "a count of timer ticks");
}

static void print_timestamp(const struct spe_packet *p, struct buffer *text)
{
	buffer_printf(text, "ts %llu", (unsigned long long)p->payload);
}

static void parse_end(struct words *words, struct spe_packet *p)
{
	(void)words;
	p->kind = SPE_PACKET_END;
}

static void print_end(const struct spe_packet *p, struct buffer *text)
{
	(void)p;
	buffer_printf(text, "end");
}

static void print_padding(const struct spe_packet *p, struct buffer *text)
{
	(void)p;
	buffer_printf(text, "pad");
}

static void parse_alignment(struct words *words, struct spe_packet *p)
{
	uint64_t boundary = words_number(words, "a boundary");

	p->kind = SPE_PACKET_ALIGNMENT;
	p->header_bytes = 2;
	if (boundary < 2 || boundary > SPE_PACKET_MAX_BYTES || (boundary & (boundary - 1)))
		die_at(&words->place, "align: a boundary is a power of two from 2 to %u",
		       SPE_PACKET_MAX_BYTES);
	p->index = (uint8_t)(__builtin_ctzll(boundary) - 1);
	p->length_bytes = words_flag(words, "bare") ? p->header_bytes : 0;
}

static void print_alignment(const struct spe_packet *p, struct buffer *text)
{
	buffer_printf(text, "align %u%s", 2u << p->index,
		      p->length_bytes == p->header_bytes ? " bare" : "");
}

static void parse_unknown(struct words *words, struct spe_packet *p)
{
	uint8_t bytes[SPE_PACKET_MAX_VALUE_BYTES] = { 0 };
	const char *value = words_key(words, "value");
	const char *byte;
	size_t n = 0;

	while (n < 2 && (byte = words_maybe(words)))
		bytes[n++] = words_to_byte(words, byte);
	if (spe_packet_decode(bytes, sizeof(bytes), 0, p) || p->kind != SPE_PACKET_UNKNOWN ||
	    p->header_bytes != n)
		die_at(&words->place, "unknown: not the header of an undefined packet");
	p->payload = value ? words_to_number(words, value) : 0;
}

static void print_unknown(const struct spe_packet *p, struct buffer *text)
{
	buffer_printf(text, "unknown 0x%02x", p->header[0]);
	if (p->header_bytes > 1)
		buffer_printf(text, " 0x%02x", p->header[1]);
	buffer_printf(text, " value=0x%llx", (unsigned long long)p->payload);
}

/* ---- all together -------------------------------------------------------- */

static const struct {
	const char *keyword;
	void (*parse)(struct words *words, struct spe_packet *p);
} statements[] = {
	{ "address", parse_any_address }, { "lat", parse_counter },   { "context", parse_context },
	{ "ts", parse_timestamp },        { "events", parse_events }, { "op", parse_operation },
	{ "data-source", parse_source },  { "end", parse_end },       { "align", parse_alignment },
	{ "unknown", parse_unknown },
};

bool packet_parse(struct words *words, unsigned kernel_el, struct spe_packet *packet)
{
	bool found = false;

	*packet = (struct spe_packet){ .header_bytes = 1 };
	if (words_flag(words, "extended"))
		packet->header_bytes = 2;
	for (unsigned i = 0; i < ADDRESS_NAMES && !found; i++)
		if (!strcmp(words->keyword, address_names[i])) {
			parse_address(words, kernel_el, i, packet);
			found = true;
		}
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]) && !found; i++)
		if (!strcmp(words->keyword, statements[i].keyword)) {
			statements[i].parse(words, packet);
			found = true;
		}
	if (!found)
		words_again(words);
	else
		words_done(words);
	return found;
}

static void (*const printers[SPE_PACKET_KINDS])(const struct spe_packet *p, struct buffer *text) = {
	[SPE_PACKET_PADDING] = print_padding,     [SPE_PACKET_END] = print_end,
	[SPE_PACKET_TIMESTAMP] = print_timestamp, [SPE_PACKET_EVENTS] = print_events,
	[SPE_PACKET_DATA_SOURCE] = print_source,  [SPE_PACKET_OPERATION] = print_operation,
	[SPE_PACKET_CONTEXT] = print_context,     [SPE_PACKET_COUNTER] = print_counter,
	[SPE_PACKET_ADDRESS] = print_address,     [SPE_PACKET_ALIGNMENT] = print_alignment,
	[SPE_PACKET_UNKNOWN] = print_unknown,
};

void packet_print(const struct spe_packet *packet, struct buffer *text)
{
	printers[packet->kind](packet, text);
	if (packet->header_bytes == 2 &&
	    (packet->kind == SPE_PACKET_ADDRESS || packet->kind == SPE_PACKET_COUNTER))
		buffer_printf(text, " extended");
}

void packet_put(const struct place *place, const struct spe_packet *packet, uint64_t trace_offset,
		struct buffer *out)
{
	size_t written = 0;
	int status;

	status = spe_packet_encode(packet, trace_offset, NULL, 0, &written);
	if (status == SPE_NEED_MORE)
		status = spe_packet_encode(packet, trace_offset, buffer_room(out, written), written,
					   &written);
	if (status)
		die_at(place, "a packet has no room for this: %s %u, value 0x%llx in %u bytes",
		       spe_packet_kind_name(packet->kind), packet->index,
		       (unsigned long long)packet->payload, packet->payload_bytes);
	out->n += written;
}
