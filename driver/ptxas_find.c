/* SPDX-License-Identifier: MIT */
/* Finds NVIDIA's ptxas. See ptxas_find.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/heap.h"
#include "driver/ptxas_find.h"

/* Whether the path is a program other than this one. */
static bool
is_other_program(const char *path)
{
	struct stat self, st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || access(path, X_OK) != 0)
		return false;
	return stat("/proc/self/exe", &self) != 0 || self.st_dev != st.st_dev ||
		self.st_ino != st.st_ino;
}

/* Returns the path of a file in the folder dir (n bytes; none: the current one) if it is another
 * program, else NULL. */
static char *
find_in(const char *dir, size_t n, const char *file)
{
	Buf path = { 0 };

	buf_printf(&path, "%.*s/%s", (int)(n ? n : 1), n ? dir : ".", file);
	if (is_other_program(path.at))
		return path.at;
	buf_free(&path);
	return NULL;
}

static char *
find_in_list(const char *dirs, const char *file)
{
	char *found = NULL;

	for (size_t n; !found && dirs && *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		found = find_in(dirs, n, file);
	}
	return found;
}

static char *
find_in_toolkit(void)
{
	static const char usual[] = "/usr/local/cuda/bin:/opt/cuda/bin:/usr/lib/cuda/bin:"
				    "/usr/lib/nvidia-cuda-toolkit/bin:/usr/bin";
	static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" };

	for (size_t i = 0; i < 2; i++) {
		const char *home = getenv(variables[i]);
		Buf dir = { 0 };
		buf_printf(&dir, "%s/bin", home ? home : "");
		char *found = home && *home ? find_in(dir.at, dir.n, "ptxas") : NULL;
		buf_free(&dir);
		if (found)
			return found;
	}
	return find_in_list(usual, "ptxas");
}

char *
ptxas_find(const char *argv0)
{
	const char *named = getenv("CCC_PTXAS"), *slash = strrchr(argv0, '/');
	char *found = NULL;

	if (named && strchr(named, '/'))
		return find_in(named, (size_t)(strrchr(named, '/') - named),
			strrchr(named, '/') + 1);
	if (named && *named)
		return find_in_list(getenv("PATH"), named);
	if (slash) {
		Buf file = { 0 };
		buf_printf(&file, "%s.real", slash + 1);
		found = find_in(argv0, (size_t)(slash - argv0), file.at);
		buf_free(&file);
	}
	if (!found)
		found = find_in_list(getenv("PATH"), "ptxas");
	return found ? found : find_in_toolkit();
}
