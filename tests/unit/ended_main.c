/* SPDX-License-Identifier: MIT */
/* ended FILE COMMAND...: runs a command with the default actions of signals, writes its process id
 * to FILE, waits, and prints "exit STATUS" or "signal NUMBER". A shell shows both alike, and its
 * background jobs ignore SIGINT. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	int status;

	if (argc < 3)
		return 2;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		signal(ends[i], SIG_DFL);
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	FILE *to = fopen(argv[1], "w");
	if (pid < 0 || !to || fprintf(to, "%ld\n", (long)pid) < 0 || fclose(to) != 0 ||
		waitpid(pid, &status, 0) != pid)
		return 2;
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("exit %d\n", WEXITSTATUS(status));
	return 0;
}
