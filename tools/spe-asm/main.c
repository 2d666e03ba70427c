/* SPDX-License-Identifier: GPL-2.0-only */
/* spe-asm: text <-> trace bytes <-> whole perf.data. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disassemble.h"
#include "generate.h"
#include "program.h"
#include "strip.h"

#define EXIT_USAGE 129 /* as perf's */

enum mode { MODE_ASSEMBLE, MODE_BYTES, MODE_DISASSEMBLE, MODE_GENERATE, MODE_STRIP };

struct options {
	enum mode mode;
	const char *input, *output, *truth, *settings, *argument;
	int32_t cpu;
};

static const char usage_text[] =
	"usage: spe-asm [--set KEY=VALUE...] [--truth CSV] -o FILE TEXT   perf.data of a text\n"
	"       spe-asm -b [--cpu N] [-o FILE] TEXT                       trace bytes of a text\n"
	"       spe-asm -d [-o FILE] BYTES                                text of trace bytes\n"
	"       spe-asm -g KEY=VALUE,... [--truth CSV] -o FILE            a large made-up "
	"recording\n"
	"       spe-asm --strip TYPE,... -o FILE PERF.DATA                records taken out\n"
	"\n"
	"  -o, --output FILE      where to write; - is standard output\n"
	"  -b, --bytes            only the bytes of an AUX buffer\n"
	"  -d, --disassemble      the other way round\n"
	"  -g, --generate SPEC    make a recording of many records\n"
	"      --strip TYPES      copy a perf.data without these record types\n"
	"      --set SETTINGS     as in a 'file' statement, on top of the text's own\n"
	"      --truth CSV        write who owns each record\n"
	"      --cpu N            whose bytes, when there are several buffers\n"
	"  -h, --help             this\n"
	"      --version          the version\n"
	"TEXT and BYTES may be - for standard input.  The format: spe-asm(1).\n";

/* A command line that cannot be obeyed, in one line. */
static _Noreturn void usage(const char *why)
{
	fprintf(stderr, "spe-asm: %s; try spe-asm -h\n", why);
	exit(EXIT_USAGE);
}

static void read_all(const char *path, struct buffer *b)
{
	FILE *f = strcmp(path, "-") != 0 ? fopen(path, "rb") : stdin;
	size_t n;

	if (!f)
		die("%s: %s", path, strerror(errno));
	do {
		n = fread(buffer_room(b, BUFSIZ), 1, BUFSIZ, f);
		b->n += n;
	} while (n);
	if (ferror(f))
		die("%s: %s", path, strerror(errno));
	if (f != stdin)
		fclose(f);
}

static void write_all(const char *path, const struct buffer *b)
{
	bool to_file = path && strcmp(path, "-") != 0;
	FILE *f = to_file ? fopen(path, "wb") : stdout;

	if (!f || fwrite(b->bytes, 1, b->n, f) != b->n || (to_file ? fclose(f) : fflush(f)))
		die("%s: %s", to_file ? path : "standard output", strerror(errno));
}

static void set_mode(struct options *o, enum mode mode, const char *argument)
{
	if (o->mode != MODE_ASSEMBLE)
		usage("-b, -d, -g and --strip exclude each other");
	o->mode = mode;
	o->argument = argument;
}

static int32_t to_cpu(const char *text)
{
	struct words words = { .place = { "--cpu", 1 }, .keyword = "--cpu" };

	return (int32_t)words_to_u32(&words, text);
}

enum long_option { OPTION_STRIP = 256, OPTION_SET, OPTION_TRUTH, OPTION_CPU, OPTION_VERSION };

static void take_option(struct options *o, int option)
{
	switch (option) {
	case 'o':
		o->output = optarg;
		break;
	case 'b':
		set_mode(o, MODE_BYTES, NULL);
		break;
	case 'd':
		set_mode(o, MODE_DISASSEMBLE, NULL);
		break;
	case 'g':
		set_mode(o, MODE_GENERATE, optarg);
		break;
	case OPTION_STRIP:
		set_mode(o, MODE_STRIP, optarg);
		break;
	case OPTION_SET:
		o->settings = optarg;
		break;
	case OPTION_TRUTH:
		o->truth = optarg;
		break;
	case OPTION_CPU:
		o->cpu = to_cpu(optarg);
		break;
	case OPTION_VERSION:
		printf("spe-asm version %s\n", spe_version());
		exit(0);
	case 'h':
		fputs(usage_text, stdout);
		exit(0);
	default: /* getopt has said what is wrong */
		exit(EXIT_USAGE);
	}
}

static void parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "bytes", no_argument, NULL, 'b' },
		{ "disassemble", no_argument, NULL, 'd' },
		{ "generate", required_argument, NULL, 'g' },
		{ "strip", required_argument, NULL, OPTION_STRIP },
		{ "set", required_argument, NULL, OPTION_SET },
		{ "truth", required_argument, NULL, OPTION_TRUTH },
		{ "cpu", required_argument, NULL, OPTION_CPU },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, OPTION_VERSION },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "o:bdg:h", longs, NULL)) != -1)
		take_option(o, option);
	if (optind < argc)
		o->input = argv[optind++];
	if (o->mode == MODE_GENERATE && o->input)
		usage("-g makes a recording, and reads no file");
	if (o->mode != MODE_GENERATE && !o->input)
		usage("no file to read is given (- is standard input)");
	if (optind != argc)
		usage("one file at a time");
	if (!o->output && o->mode != MODE_BYTES && o->mode != MODE_DISASSEMBLE)
		usage("-o FILE is missing: a perf.data is written to a file (- is standard "
		      "output)");
}

static void run_assemble(const struct options *o)
{
	struct buffer text = { 0 }, out = { 0 };
	struct assembly a = {
		.name = strcmp(o->input, "-") != 0 ? o->input : "<stdin>",
		.settings = o->settings,
		.path = o->mode == MODE_ASSEMBLE ? o->output : NULL,
		.truth_path = o->truth,
		.out = &out,
		.cpu = o->cpu,
	};

	read_all(o->input, &text);
	a.text = (char *)text.bytes;
	a.n = text.n;
	assemble(&a);
	if (o->mode == MODE_BYTES)
		write_all(o->output, &out);
	buffer_free(&text);
	buffer_free(&out);
}

static void run_disassemble(const struct options *o)
{
	struct buffer bytes = { 0 }, text = { 0 };

	read_all(o->input, &bytes);
	disassemble(bytes.bytes, bytes.n, &text);
	write_all(o->output, &text);
	buffer_free(&bytes);
	buffer_free(&text);
}

int main(int argc, char **argv)
{
	struct options o = { .cpu = -1 };

	parse_options(argc, argv, &o);
	switch (o.mode) {
	case MODE_ASSEMBLE:
	case MODE_BYTES:
		run_assemble(&o);
		break;
	case MODE_DISASSEMBLE:
		run_disassemble(&o);
		break;
	case MODE_GENERATE:
		generate(o.argument, o.settings, o.output, o.truth);
		break;
	case MODE_STRIP:
		strip(o.argument, o.input, o.output);
		break;
	}
	return 0;
}
