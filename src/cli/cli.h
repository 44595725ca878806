/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/*
 * The command line: one table of commands (cli_commands.c), one file a command group. A command
 * takes options in and gives an envelope (--json) or text for people; it decides nothing.
 *
 * Standard output holds exactly what was asked for: text, or with --json one envelope. Everything
 * else goes to standard error. Usage errors come before a command runs: text, exit status 2.
 */

/*
 * Runs the command that argv names. out_fd is the private copy of the original standard output
 * (fd 1 has been moved away, so that neither a library nor a child can write there). Returns the
 * exit status.
 */
int cli_main(int argc, char **argv, int out_fd);

#endif
