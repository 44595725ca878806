/* SPDX-License-Identifier: MIT */

/*
 * The fake program behind the boundary, for tests: fake MODE [WORD…]. It does one odd thing a
 * real program might do, and says what it saw as JSON. Where FAKE_LOG names a file, each start
 * appends its words there as one JSON line, so that a test can tell that nothing was started.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

/* ---- small tools ---- */

static long number(const char *text)
{
	long value = 0;
	bool is_negative = *text == '-';
	for (text += is_negative; isdigit((unsigned char)*text); text++)
		value = value * 10 + (*text - '0');
	return is_negative ? -value : value;
}

static void sleep_ms(long ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	while (nanosleep(&left, &left) == -1 && errno == EINTR)
		;
}

/* Writes a JSON string; bytes outside ASCII go on as they are. */
static void print_string(FILE *to, const char *data, size_t len)
{
	fputc('"', to);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];
		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(to, "\\u%04x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

static void print_words(FILE *to, char **words)
{
	fputc('[', to);
	for (char **word = words; *word; word++) {
		if (word != words)
			fputc(',', to);
		print_string(to, *word, strlen(*word));
	}
	fputc(']', to);
}

static void write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			exit(9);
		data += n;
		len -= (size_t)n;
	}
}

/* Decodes \n \t \r \e \\ and \xNN, so that any byte fits into a word; returns the length. */
static size_t unescape(char *text)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 0;
	for (const char *at = text; *at; at++) {
		if (*at != '\\') {
			text[len++] = *at;
			continue;
		}
		at++;
		if (*at == 'x' && at[1] && at[2]) {
			const char *high = strchr(digits, tolower((unsigned char)at[1]));
			const char *low = strchr(digits, tolower((unsigned char)at[2]));
			if (high == NULL || low == NULL)
				exit(9);
			text[len++] = (char)((high - digits) * 16 + (low - digits));
			at += 2;
		} else if (*at != '\0') {
			static const char names[] = "ntre\\";
			static const char bytes[] = "\n\t\r\033\\";
			const char *name = strchr(names, *at);
			text[len++] = name ? bytes[name - names] : *at;
		} else {
			break;
		}
	}
	return len;
}

/* The value of --NAME=VALUE among words, or NULL. */
static char *option(char **words, const char *name)
{
	size_t len = strlen(name);
	for (; *words; words++)
		if (strncmp(*words, name, len) == 0 && (*words)[len] == '=')
			return *words + len + 1;
	return NULL;
}

static bool flag(char **words, const char *name)
{
	for (; *words; words++)
		if (strcmp(*words, name) == 0)
			return true;
	return false;
}

static void note_start(char **argv)
{
	const char *path = getenv("FAKE_LOG");
	if (path == NULL || *path == '\0')
		return;
	char *line = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&line, &len);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (to == NULL || fd == -1)
		exit(9);
	print_words(to, argv + 1);
	fputc('\n', to);
	fclose(to);
	write_all(fd, line, len);
	close(fd);
	free(line);
}

/* ---- modes: what it sees ---- */

static int show_args(char **words)
{
	fputs("{\"args\":", stdout);
	print_words(stdout, words);
	fputs("}\n", stdout);
	return 0;
}

static int show_env(char **words)
{
	(void)words;
	fputc('{', stdout);
	for (char **entry = environ; *entry; entry++) {
		char *equals = strchr(*entry, '=');
		if (equals == NULL)
			return 9;
		if (entry != environ)
			fputc(',', stdout);
		print_string(stdout, *entry, (size_t)(equals - *entry));
		fputc(':', stdout);
		print_string(stdout, equals + 1, strlen(equals + 1));
	}
	fputs("}\n", stdout);
	return 0;
}

static size_t read_all(int fd, char **ret_data)
{
	size_t len = 0;
	size_t cap = 1 << 16;
	char *data = malloc(cap);
	for (;;) {
		if (data == NULL)
			exit(9);
		ssize_t n = read(fd, data + len, cap - len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (len == cap)
			data = realloc(data, cap *= 2);
	}
	*ret_data = data;
	return len;
}

/* What a program does that reads its input whenever that is no terminal. */
static int show_stdin(char **words)
{
	(void)words;
	char *data = NULL;
	size_t len = read_all(STDIN_FILENO, &data);
	fprintf(stdout, "{\"bytes\":%zu,\"stdin\":", len);
	print_string(stdout, data, len);
	fputs("}\n", stdout);
	free(data);
	return 0;
}

static int show_file(char **words)
{
	int fd = words[0] ? open(words[0], O_RDONLY | O_CLOEXEC) : -1;
	if (fd == -1) {
		fprintf(stderr, "cannot open the file: %s\n", strerror(errno));
		return 1;
	}
	char *data = NULL;
	size_t len = read_all(fd, &data);
	fputs("{\"path\":", stdout);
	print_string(stdout, words[0], strlen(words[0]));
	fputs(",\"content\":", stdout);
	print_string(stdout, data, len);
	fputs("}\n", stdout);
	close(fd);
	free(data);
	return 0;
}

/* Descriptors, signals, session, limit of core files and folder as inherited. */
static int show_process(char **words)
{
	(void)words;
	DIR *dir = opendir("/proc/self/fd");
	if (dir == NULL)
		return 9;
	int own = dirfd(dir);
	fputs("{\"fds\":[", stdout);
	const char *comma = "";
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		if (entry->d_name[0] == '.' || number(entry->d_name) == own)
			continue;
		fprintf(stdout, "%s%s", comma, entry->d_name);
		comma = ",";
	}
	closedir(dir);
	sigset_t blocked;
	sigemptyset(&blocked);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	int ignored = 0;
	int masked = 0;
	for (int sig = 1; sig < 32; sig++) {
		struct sigaction action;
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			ignored++;
		masked += sigismember(&blocked, sig) == 1;
	}
	char *cwd = getcwd(NULL, 0);
	struct rlimit core = { .rlim_cur = RLIM_INFINITY };
	getrlimit(RLIMIT_CORE, &core);
	fprintf(stdout,
	    "],\"ignored\":%d,\"masked\":%d,\"leads\":%s,\"core\":%ld,\"cwd\":", ignored, masked,
	    getsid(0) == getpid() ? "true" : "false", (long)core.rlim_cur);
	print_string(stdout, cwd ? cwd : "", cwd ? strlen(cwd) : 0);
	fputs("}\n", stdout);
	free(cwd);
	return 0;
}

/* ---- modes: what it prints ---- */

/* say [--sleep=MS] [--err=TEXT] [--out=TEXT] [--signal=N] [--exit=N], in this order. */
static int say(char **words)
{
	static const struct {
		const char *name;
		int fd;
	} streams[] = { { "--err", STDERR_FILENO }, { "--out", STDOUT_FILENO } };

	if (option(words, "--sleep"))
		sleep_ms(number(option(words, "--sleep")));
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		char *text = option(words, streams[i].name);
		if (text)
			write_all(streams[i].fd, text, unescape(text));
	}
	if (option(words, "--signal"))
		raise((int)number(option(words, "--signal")));
	return option(words, "--exit") ? (int)number(option(words, "--exit")) : 0;
}

/* flood [--out=BYTES] [--err=BYTES] [--text=UNIT]: a block to each stream in turn; -1 is no end. */
static int flood(char **words)
{
	char block[1 << 16];
	char *unit = option(words, "--text") ? option(words, "--text") : (char[]){ "x" };
	size_t unit_len = unescape(unit);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = unit[i % unit_len];
	long left[2] = { option(words, "--err") ? number(option(words, "--err")) : 0,
		option(words, "--out") ? number(option(words, "--out")) : 0 };
	static const int fds[2] = { STDERR_FILENO, STDOUT_FILENO };
	size_t whole = sizeof(block) - sizeof(block) % unit_len;
	while (left[0] != 0 || left[1] != 0) {
		for (size_t i = 0; i < 2; i++) {
			size_t len =
			    left[i] < 0 || (size_t)left[i] > whole ? whole : (size_t)left[i];
			write_all(fds[i], block, len);
			left[i] = left[i] < 0 ? left[i] : left[i] - (long)len;
		}
	}
	return 0;
}

/* items N: a JSON list of N small objects. */
static int items(char **words)
{
	long count = words[0] ? number(words[0]) : 0;
	fputc('[', stdout);
	for (long i = 1; i <= count; i++)
		fprintf(stdout, "%s{\"id\":%ld,\"title\":\"item %ld\",\"kind\":\"%s\"}",
		    i > 1 ? "," : "", i, i, i % 2 ? "odd" : "even");
	fputs("]\n", stdout);
	return 0;
}

/* ---- modes: how it lives and ends ---- */

static void stay(char **words, long ms)
{
	if (flag(words, "--ignore-term"))
		signal(SIGTERM, SIG_IGN);
	if (flag(words, "--partial"))
		write_all(STDOUT_FILENO, "partial", 7);
	if (flag(words, "--stop"))
		raise(SIGSTOP);
	sleep_ms(ms);
}

/* sleep MS [--ignore-term] [--stop] [--partial] */
static int sleeper(char **words)
{
	stay(words, words[0] ? number(words[0]) : 0);
	fputs("{\"slept\":true}\n", stdout);
	return 0;
}

/* tree MS [--ignore-term]: a child and a grandchild that sleep as long. */
static int tree(char **words)
{
	pid_t child = fork();
	if (child == 0 && fork() >= 0) {
		stay(words, number(words[0]));
		_exit(0);
	}
	stay(words, number(words[0]));
	if (child > 0)
		waitpid(child, NULL, 0);
	fputs("{\"slept\":true}\n", stdout);
	return 0;
}

/* daemon MS [--setsid] [--quiet]: a child keeps both streams open, or neither; we end at once. */
static int daemonize(char **words)
{
	fputs("{\"daemon\":true}\n", stdout);
	fflush(stdout);
	if (fork() == 0) {
		if (flag(words, "--setsid"))
			setsid();
		if (flag(words, "--quiet")) {
			close(STDOUT_FILENO);
			close(STDERR_FILENO);
		}
		stay(words, number(words[0]));
		_exit(0);
	}
	return 0;
}

/* Insists on a terminal. */
static int terminal(char **words)
{
	(void)words;
	if (!isatty(STDIN_FILENO)) {
		fputs("fake: stdin is not a TTY\n", stderr);
		return 3;
	}
	return 0;
}

/* prompt [--tty]: asks for a password on the terminal, or on standard input. */
static int prompt(char **words)
{
	int fd = flag(words, "--tty") ? open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO;
	char answer[64];
	fputs("Password: ", stderr);
	if (fd == -1 || read(fd, answer, sizeof(answer)) <= 0) {
		fputs("\nfake: session expired, sign in again\n", stderr);
		return 4;
	}
	return 0;
}

static int version(char **words)
{
	(void)words;
	const char *pause = getenv("FAKE_SLOW");
	if (pause)
		sleep_ms(number(pause));
	fputs("fake 1.2.3\n", stdout);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(char **words);
	} modes[] = {
		{ "args", show_args },
		{ "env", show_env },
		{ "stdin", show_stdin },
		{ "file", show_file },
		{ "process", show_process },
		{ "say", say },
		{ "flood", flood },
		{ "items", items },
		{ "sleep", sleeper },
		{ "tree", tree },
		{ "daemon", daemonize },
		{ "terminal", terminal },
		{ "prompt", prompt },
		{ "--version", version },
	};

	note_start(argv);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run(argv + 2);
	fputs("fake: no such mode\n", stderr);
	return 64;
}
