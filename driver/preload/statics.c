/* SPDX-License-Identifier: MIT */
/* Redirects a CUDA runtime that is linked into a program to the emulator's (lib/ptxrun/), and
 * functions of NVIDIA's compilers that produce machine code to ones that produce PTX.
 *
 * By default nvcc links the runtime statically, where the loader cannot replace it. But the
 * program's .symtab still names the runtime's functions, and all of them are present, because
 * the archive has them in one object. This library is preloaded into each process that ptxrun
 * starts. If the program defines these functions, it overwrites each with a jump to the function
 * of the same name in the emulator's libcudart.so. It does the same for libraries, both those
 * loaded at the start and those loaded later (a Python module may contain a runtime). A library
 * loaded later is processed before almost all of its code: the start-up code of each object
 * calls __gmon_start__ if it exists, and this library defines it.
 *
 * NVRTC's function for a cubin is redirected to its function for PTX, which the emulator can
 * run. nvJitLink's functions are redirected to those of driver/libcuda/nvjitlink.c.
 *
 * This library is initialised before all others (-z initfirst) and before the program, whose
 * constructors register kernels. Even the C library is not initialised by then: its environment
 * is set here, because the first dlopen would initialise it with what is there, and messages are
 * written with dprintf.
 *
 * Obstacles are noted in the report (driver/rt/report.h), so that ptxrun prints them once. The
 * runtime's functions are identified by name only, and only in an object that defines
 * __cudaRegisterFatBinary, which no user defines. */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* File for notes; NULL: standard error. */
static const char *report;

/* Addresses of the objects loaded at the start. If there are more than fit, the others are
 * processed again. */
static struct { uintptr_t at[1024]; uint32_t n; bool complete; } first_objects;

static void
print_note(const char *object, const char *what)
{
	int fd = report ? open(report, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd >= 0)
		dprintf(fd, "note\t'%s' %s\n", object, what);
	else
		dprintf(2, "ptxrun: '%s' %s\n", object, what);
	if (fd >= 0)
		close(fd);
}

/* ---- the object's file ----------------------------------------------------------------------- */

typedef struct { const char *name; const uint8_t *at; size_t n; } Image;

/* Returns a part of the file; NULL if it exceeds the file. */
static const void *
image_part(const Image *f, uint64_t at, uint64_t n)
{
	return at <= f->n && n <= f->n - at ? f->at + at : NULL;
}

/* Returns the section of that number; NULL if it does not exist or exceeds the file. */
static const Elf64_Shdr *
image_section(const Image *f, unsigned number)
{
	const Elf64_Ehdr *e = (const void *)f->at;
	if (number >= e->e_shnum || e->e_shentsize != sizeof(Elf64_Shdr))
		return NULL;
	return image_part(f, e->e_shoff + number * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static const Elf64_Shdr *
section_of_type(const Image *f, uint32_t type)
{
	const Elf64_Shdr *s;
	for (unsigned k = 0; (s = image_section(f, k)); k++)
		if (s->sh_type == type && image_part(f, s->sh_offset, s->sh_size))
			return s;
	return NULL;
}

/* Returns a string from the table in that section; "" if it is not completely in the table. */
static const char *
string_of(const Image *f, uint32_t table, uint64_t at)
{
	const Elf64_Shdr *s = image_section(f, table);
	const char *text = s ? image_part(f, s->sh_offset, s->sh_size) : NULL;
	return text && at < s->sh_size && memchr(text + at, 0, s->sh_size - at) ? text + at : "";
}

static bool
has_section(const Image *f, const char *name)
{
	const Elf64_Ehdr *e = (const void *)f->at;
	const Elf64_Shdr *s;
	for (unsigned k = 0; (s = image_section(f, k)); k++)
		if (!strcmp(string_of(f, e->e_shstrndx, s->sh_name), name))
			return true;
	return false;
}

/* Whether the object requires a runtime library. */
static bool
wants_runtime(const Image *f)
{
	const Elf64_Shdr *s = section_of_type(f, SHT_DYNAMIC);
	const Elf64_Dyn *d = s ? image_part(f, s->sh_offset, s->sh_size) : NULL;
	for (uint64_t k = 0; d && k < s->sh_size / sizeof *d; k++)
		if (d[k].d_tag == DT_NEEDED &&
			!strncmp(string_of(f, s->sh_link, d[k].d_un.d_val), "libcudart.so", 12))
			return true;
	return false;
}

/* Maps the file and checks that it is a usable object. */
static bool
image_open(Image *f, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = MAP_FAILED;
	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)sizeof(Elf64_Ehdr))
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return false;
	f->at = at;
	f->n = (size_t)st.st_size;
	const Elf64_Ehdr *e = at;
	if (!memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_ident[EI_CLASS] == ELFCLASS64)
		return true;
	munmap(at, f->n);
	return false;
}

/* ---- its functions --------------------------------------------------------------------------- */

typedef struct { const Elf64_Sym *at; uint64_t n; uint32_t names; } Symbols;

static Symbols
symbols_of(const Image *f, uint32_t type)
{
	const Elf64_Shdr *s = section_of_type(f, type);
	if (!s)
		return (Symbols){0};
	return (Symbols){ image_part(f, s->sh_offset, s->sh_size), s->sh_size / sizeof(Elf64_Sym),
		s->sh_link };
}

/* Returns the name of the k-th symbol if it is a defined function whose name looks like the
 * runtime's. */
static const char *
function_name(const Image *f, const Symbols *s, uint64_t k)
{
	if (ELF64_ST_TYPE(s->at[k].st_info) != STT_FUNC || !s->at[k].st_shndx)
		return NULL;
	const char *name = string_of(f, s->names, s->at[k].st_name);
	return strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6) ? NULL : name;
}

static bool
image_defines(const Image *f, const Symbols *s, const char *name)
{
	for (uint64_t k = 0; k < s->n; k++) {
		const char *it = function_name(f, s, k);
		if (it && !strcmp(it, name))
			return true;
	}
	return false;
}

/* ---- the jump -------------------------------------------------------------------------------- */

#if defined __x86_64__
enum { MACHINE = EM_X86_64, JUMP = 14 };
static void
jump_write(uint8_t *at, const void *to)
{
	static const uint8_t jump[6] = { 0xff, 0x25 }; /* jmp *0(%rip): the address follows it */
	memcpy(at, jump, sizeof jump);
	memcpy(at + sizeof jump, &to, sizeof to);
}
#elif defined __aarch64__
enum { MACHINE = EM_AARCH64, JUMP = 16 };
static void
jump_write(uint8_t *at, const void *to)
{
	static const uint32_t jump[2] = { 0x58000050, 0xd61f0200 }; /* ldr x16, .+8; br x16 */
	memcpy(at, jump, sizeof jump);
	memcpy(at + sizeof jump, &to, sizeof to);
	__builtin___clear_cache((char *)at, (char *)at + JUMP);
}
#else
enum { MACHINE = EM_NONE, JUMP = 0 };
static void jump_write(uint8_t *at, const void *to) { (void)at, (void)to; }
#endif

/* Makes code writable, or read-only again. Returns false if the system forbids it. */
static bool
make_writable(uint8_t *at, bool on)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);
	uintptr_t to = ((uintptr_t)at + JUMP + page - 1) & ~(page - 1);
	return !mprotect((void *)from, to - from, PROT_READ | PROT_EXEC | (on ? PROT_WRITE : 0));
}

/* The runtime's functions are aligned to 16 bytes, so even short ones have room for a jump.
 * Returns false if a function could not be redirected. */
static bool
send_all(const Image *f, const Symbols *s, uintptr_t base, void *runtime)
{
	bool good = true;
	for (uint64_t k = 0; k < s->n; k++) {
		const char *name = function_name(f, s, k);
		void *to = name ? dlsym(runtime, name) : NULL;
		uint8_t *at = (uint8_t *)(base + s->at[k].st_value);
		if (!to || to == (void *)at) /* the emulator's own function */
			continue;
		if ((s->at[k].st_size < JUMP && (uintptr_t)at % 16) || !make_writable(at, true)) {
			good = false;
			continue;
		}
		jump_write(at, to);
		make_writable(at, false);
	}
	return good;
}

/* Opens a library of the emulator, next to this one. */
static void *
emulator_library(const char *library)
{
	Dl_info here;
	char path[4096];
	const char *slash = dladdr(&report, &here) ? strrchr(here.dli_fname, '/') : NULL;
	int n = slash ? (int)(slash - here.dli_fname) : 0;
	if (!slash || (size_t)n + 32 > sizeof path)
		return NULL;
	snprintf(path, sizeof path, "%.*s/%s", n, here.dli_fname, library);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Returns the emulator's runtime of the same version, which is identified by functions that CUDA
 * 12 introduced or CUDA 13 removed. */
static const char *
emulated_runtime(const Image *f, const Symbols *s)
{
	if (image_defines(f, s, "cudaGetDeviceProperties_v2"))
		return "libcudart.so.12";
	return image_defines(f, s, "cudaInitDevice") ? "libcudart.so.13" : NULL;
}

/* Redirects the functions of an object that contains a runtime. */
static void
replace_runtime(const Image *f, const Symbols *s, uintptr_t base)
{
	const Elf64_Ehdr *e = (const void *)f->at;
	const char *library = emulated_runtime(f, s);
	void *runtime = library ? emulator_library(library) : NULL;
	if (!library)
		print_note(f->name, "has the runtime of CUDA 11 or older inside: only those of 12 and 13 "
			      "can be replaced");
	else if (!runtime)
		print_note(f->name, "has its CUDA runtime inside, and the emulator's cannot be loaded");
	else if (e->e_machine != MACHINE || !send_all(f, s, base, runtime))
		print_note(f->name, "has its CUDA runtime inside, which cannot be replaced here: build it "
			      "with nvcc -cudart shared");
}

/* A runtime library that a program finds by an RPATH exports its functions. Objects loaded later
 * often go unused, so obstacles in them are not reported. */
static void
inspect_library(const Image *f, uintptr_t base)
{
	static const char registers[] = "__cudaRegisterFatBinary";
	const Symbols all = symbols_of(f, SHT_SYMTAB), exported = symbols_of(f, SHT_DYNSYM);
	if (image_defines(f, &all, registers))
		replace_runtime(f, &all, base);
	else if (image_defines(f, &exported, registers))
		replace_runtime(f, &exported, base);
	else if (!first_objects.complete && !all.n && has_section(f, ".nv_fatbin") && !wants_runtime(f))
		print_note(f->name, "contains the CUDA runtime, but no symbols to find it by: "
			      "do not strip it (no -s), or build it with nvcc -cudart shared");
}

/* ---- compilers ------------------------------------------------------------------------------- */

/* Returns the replacement of the function of that name; NULL if it is not redirected. */
typedef void *Detour(const Image *f, uintptr_t base, const char *name);

static void *
exported_function(const Image *f, uintptr_t base, const char *name)
{
	const Symbols s = symbols_of(f, SHT_DYNSYM);
	for (uint64_t k = 0; k < s.n; k++)
		if (ELF64_ST_TYPE(s.at[k].st_info) == STT_FUNC && s.at[k].st_shndx &&
			!strcmp(string_of(f, s.names, s.at[k].st_name), name))
			return (void *)(base + s.at[k].st_value);
	return NULL;
}

/* The replacement is another function of NVRTC. */
static void *
ptx_for_cubin(const Image *f, uintptr_t base, const char *name)
{
	if (!strcmp(name, "nvrtcGetCUBIN"))
		return exported_function(f, base, "nvrtcGetPTX");
	return strcmp(name, "nvrtcGetCUBINSize") ? NULL : exported_function(f, base, "nvrtcGetPTXSize");
}

/* For nvJitLinkCreate and __nvJitLinkCreate_13_0: ptxrun_nvJitLinkCreate. */
static void *
own_linker(const Image *f, uintptr_t base, const char *name)
{
	char own[64] = "ptxrun_";
	void *driver = emulator_library("libcuda.so.1");
	(void)f, (void)base;
	name += strncmp(name, "__", 2) ? 0 : 2;
	if (strncmp(name, "nvJitLink", 9) || strlen(name) > sizeof own - sizeof "ptxrun_")
		return NULL;
	strcat(own, name);
	own[strcspn(own + 7, "_") + 7] = 0;
	return driver ? dlsym(driver, own) : NULL;
}

/* Redirects the functions of one of NVIDIA's compilers. */
static void
redirect_compiler(const Image *f, uintptr_t base)
{
	const Elf64_Ehdr *e = (const void *)f->at;
	const Symbols s = symbols_of(f, SHT_DYNSYM);
	Detour *of = strstr(f->name, "libnvrtc.so") ? ptx_for_cubin :
		strstr(f->name, "libnvJitLink.so")  ? own_linker :
						      NULL;
	for (uint64_t k = 0; of && e->e_machine == MACHINE && k < s.n; k++) {
		if (ELF64_ST_TYPE(s.at[k].st_info) != STT_FUNC || !s.at[k].st_shndx)
			continue;
		uint8_t *at = (uint8_t *)(base + s.at[k].st_value);
		const void *to = of(f, base, string_of(f, s.names, s.at[k].st_name));
		if (to && (uintptr_t)at % 16 == 0 && make_writable(at, true)) {
			jump_write(at, to);
			make_writable(at, false);
		}
	}
}

/* ---- the start ------------------------------------------------------------------------------- */

static int
each_object(struct dl_phdr_info *info, size_t n, void *first)
{
	Image f = { .name = info->dlpi_name };
	char path[4096] = "/proc/self/exe";
	bool program = *(bool *)first;
	(void)n;
	*(bool *)first = false;
	if (first_objects.n < sizeof first_objects.at / sizeof *first_objects.at)
		first_objects.at[first_objects.n++] = info->dlpi_addr;
	if (program) {
		static char own[4096];
		ssize_t got = readlink(path, own, sizeof own - 1);
		f.name = got > 0 ? own : "the program";
	}
	if ((!program && !*f.name) || !image_open(&f, program ? path : f.name))
		return 0;
	inspect_library(&f, info->dlpi_addr);
	redirect_compiler(&f, info->dlpi_addr);
	munmap((void *)(uintptr_t)f.at, f.n);
	return 0;
}

/* The loader passes a constructor the arguments of main. */
__attribute__((constructor)) static void
at_start(int argc, char **argv, char **environment)
{
	static const char variable[] = "PTXRUN_REPORT=";
	bool first = true;
	(void)argc, (void)argv;
	environ = environment;
	for (char **e = environment; e && *e; e++)
		if (!strncmp(*e, variable, sizeof variable - 1))
			report = *e + sizeof variable - 1;
	dl_iterate_phdr(each_object, &first);
	first_objects.complete = true;
}

/* Processes an object that was loaded later. */
static void
later_object(const struct link_map *object)
{
	Image f = { .name = object->l_name };
	for (uint32_t k = 0; k < first_objects.n; k++)
		if (first_objects.at[k] == object->l_addr)
			return;
	if (!*f.name || !image_open(&f, f.name))
		return;
	inspect_library(&f, object->l_addr);
	redirect_compiler(&f, object->l_addr);
	munmap((void *)(uintptr_t)f.at, f.n);
}

/* Normally defined by profilers; the start-up code of each object (crti.o) calls it if it is
 * defined. */
__attribute__((visibility("default"))) void __gmon_start__(void);
void
__gmon_start__(void)
{
	Dl_info here;
	struct link_map *object;
	if (first_objects.complete &&
		dladdr1(__builtin_return_address(0), &here, (void **)&object, RTLD_DL_LINKMAP))
		later_object(object);
}
