/* SPDX-License-Identifier: BSD-3-Clause */
/* The search of the dynamic linker, among made-up libraries: the rules are those of ld.so(8). */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fake_elf.h"
#include "machine/linker_cache.h"
#include "machine/loaded.h"
#include "scratch.h"

static struct scratch scratch;
static char last[256];         /* searched last */
static const char *folders[2]; /* it alone */
static char cache_path[256];

static void start(void) {
  scratch_begin(&scratch);
  snprintf(last, sizeof last, "%s/last", scratch.root);
  snprintf(cache_path, sizeof cache_path, "%s/cache", scratch.root);
  folders[0] = last;
}

static void stop(void) {
  scratch_end(&scratch);
}

TestSuite(linker, .init = start, .fini = stop);

static void put(const char *name, const struct fake_elf *elf) {
  fake_elf_write(scratch_path(&scratch, name), elf);
}

static void put_library(const char *name) {
  const struct fake_elf plain = { .defines = { "something" } };
  put(name, &plain);
}

static struct ppi_linker linker_of(const char *library_path) {
  return (struct ppi_linker){ library_path, NULL, cache_path, folders, NULL };
}

static void trace(const struct ppi_linker *linker, const char *program, struct ppi_loaded *loaded) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  char path[512];
  snprintf(path, sizeof path, "%s%s", scratch.root, program);
  cr_assert_eq(ppi_linker_trace(linker, path, loaded, &error), PERFPRED_OK, "%s", error.text);
}

/* Path of the file that was found for a name, behind the root; "" where none was, NULL where nobody asked. */
static const char *found(const struct ppi_loaded *loaded, const char *name) {
  for (size_t i = 0; i < loaded->count; i++)
    if (loaded->files[i].name && strcmp(loaded->files[i].name, name) == 0)
      return loaded->files[i].path ? loaded->files[i].path + strlen(scratch.root) : "";
  return NULL;
}

/* A program that asks for liba.so, which lies in all folders that are searched: they are taken away one by one. */
Test(linker, searches_in_the_order_of_the_manual) {
  static const char *const order[] = { "/env/liba.so", "/run/liba.so", "/last/liba.so" };
  char library_path[512], runpath[512];
  snprintf(library_path, sizeof library_path, "%s/none:%s/env", scratch.root, scratch.root);
  snprintf(runpath, sizeof runpath, "%s/run", scratch.root);
  const struct fake_elf program = { .interpreter = "/x", .runpath = runpath, .needed = { "liba.so" } };
  const struct ppi_linker linker = linker_of(library_path);
  put("/program", &program);
  for (int i = 0; i < 3; i++)
    put_library(order[i]);
  for (int i = 0; i < 3; i++) {
    struct ppi_loaded loaded = PPI_LOADED_INIT;
    trace(&linker, "/program", &loaded);
    cr_expect_str_eq(found(&loaded, "liba.so"), order[i]);
    ppi_loaded_free(&loaded);
    unlink(scratch_path(&scratch, order[i]));
  }
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  trace(&linker, "/program", &loaded);
  cr_expect_str_eq(found(&loaded, "liba.so"), "", "missing");
  cr_expect_eq(loaded.count, 2);
  cr_expect_eq(loaded.files[1].by, 0);
  ppi_loaded_free(&loaded);
}

/* RPATH comes before LD_LIBRARY_PATH and counts for what libraries ask for as well, RUNPATH neither. */
Test(linker, rpath_is_inherited_and_runpath_is_not) {
  char env[512], own[512];
  snprintf(env, sizeof env, "%s/env", scratch.root);
  snprintf(own, sizeof own, "%s/own", scratch.root);
  struct fake_elf program = { .interpreter = "/x", .rpath = own, .needed = { "liba.so" } };
  const struct fake_elf library = { .needed = { "libb.so" } };
  const struct ppi_linker linker = linker_of(env);
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  put("/program", &program);
  put("/own/liba.so", &library);
  put("/env/liba.so", &library);
  put_library("/own/libb.so");
  trace(&linker, "/program", &loaded);
  cr_expect_str_eq(found(&loaded, "liba.so"), "/own/liba.so");
  cr_expect_str_eq(found(&loaded, "libb.so"), "/own/libb.so");
  ppi_loaded_free(&loaded);
  program.rpath = NULL;
  program.runpath = own;
  put("/program", &program);
  trace(&linker, "/program", &loaded);
  cr_expect_str_eq(found(&loaded, "liba.so"), "/env/liba.so");
  cr_expect_str_eq(found(&loaded, "libb.so"), "");
  ppi_loaded_free(&loaded);
}

Test(linker, origin_is_the_folder_of_the_file) {
  const struct fake_elf program = { .interpreter = "/x", .runpath = "/none:${ORIGIN}/../lib", .needed = { "liba.so" } };
  const struct fake_elf library = { .runpath = "$ORIGIN", .needed = { "libb.so" } };
  const struct ppi_linker linker = linker_of(NULL);
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  put("/bin/program", &program);
  put("/lib/liba.so", &library);
  put_library("/lib/libb.so");
  cr_assert_eq(symlink("bin/program", scratch_path(&scratch, "/link")), 0);
  trace(&linker, "/link", &loaded);
  cr_expect_str_eq(found(&loaded, "liba.so"), "/bin/../lib/liba.so");
  cr_expect_not_null(strstr(found(&loaded, "libb.so"), "/lib/libb.so"));
  ppi_loaded_free(&loaded);
}

/* Breadth first, each file once, whatever the name: the order in which symbols are searched for. */
Test(linker, lists_each_file_once_in_the_order_of_symbols) {
  const struct fake_elf program = { .interpreter = "/x", .needed = { "liba.so", "libb.so" } };
  const struct fake_elf a = { .needed = { "libc1.so", "libb.so" } };
  const struct fake_elf b = { .soname = "libb-proper.so", .needed = { "liba.so", "libb-proper.so", "libd.so" } };
  static const char *const wanted[] = { "/program", "/last/liba.so", "/last/libb.so", "/last/libc1.so" };
  struct ppi_linker linker = linker_of(NULL);
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  put("/program", &program);
  put("/last/liba.so", &a);
  put("/last/libb.so", &b);
  put_library("/last/libc1.so");
  cr_assert_eq(symlink("libc1.so", scratch_path(&scratch, "/last/libd.so")), 0); /* the same file by another name */
  trace(&linker, "/program", &loaded);
  cr_assert_eq(loaded.count, 4);
  for (size_t i = 0; i < 4; i++)
    cr_expect_str_eq(loaded.files[i].path + strlen(scratch.root), wanted[i]);
  ppi_loaded_free(&loaded);
  char preload[512];
  snprintf(preload, sizeof preload, "libd.so  %s/last/none.so", scratch.root);
  linker.preload = preload;
  trace(&linker, "/program", &loaded);
  cr_expect_str_eq(loaded.files[1].path + strlen(scratch.root), "/last/libd.so");
  cr_expect_null(loaded.files[2].path);
  ppi_loaded_free(&loaded);
}

Test(linker, passes_over_what_is_not_for_this_machine) {
  const struct fake_elf program = { .interpreter = "/x", .needed = { "liba.so" } };
  char env[512];
  snprintf(env, sizeof env, "%s/env", scratch.root);
  const struct ppi_linker linker = linker_of(env);
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  put("/program", &program);
  scratch_put(&scratch, "/env/liba.so", "INPUT(-lsomething)\n");
  put_library("/last/liba.so");
  trace(&linker, "/program", &loaded);
  cr_expect_str_eq(found(&loaded, "liba.so"), "/last/liba.so");
  ppi_loaded_free(&loaded);
}

/* In every folder that is searched, the best level first; levels that the processor has not are passed over. */
Test(linker, libraries_for_levels_of_processors) {
  static const char *const levels[] = { "best", "good", NULL };
  static const char *const order[] = { "/env/glibc-hwcaps/best/liba.so", "/env/glibc-hwcaps/good/liba.so",
                                       "/env/liba.so", "/last/glibc-hwcaps/best/liba.so", "/last/liba.so" };
  const struct fake_elf program = { .interpreter = "/x", .needed = { "liba.so" } };
  char env[512];
  snprintf(env, sizeof env, "%s/env", scratch.root);
  struct ppi_linker linker = linker_of(env);
  linker.levels = levels;
  put("/program", &program);
  put_library("/env/glibc-hwcaps/other/liba.so");
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
    put_library(order[i]);
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    struct ppi_loaded loaded = PPI_LOADED_INIT;
    trace(&linker, "/program", &loaded);
    cr_expect_str_eq(found(&loaded, "liba.so"), order[i]);
    ppi_loaded_free(&loaded);
    unlink(scratch_path(&scratch, order[i]));
  }
}

/* The names of the levels stand in this order, and each is there only where the one below is. */
Test(linker, levels_of_this_processor) {
  const char *const *levels = ppi_linker_levels();
  size_t count = 0;
  while (levels[count])
    count++;
  cr_assert_leq(count, 3);
  for (size_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "x86-64-v%zu", count + 1 - i);
    cr_expect_str_eq(levels[i], name);
  }
}

Test(linker, static_and_foreign_programs) {
  const struct fake_elf still = { .still = true, .fixed = true };
  struct ppi_linker linker = linker_of(NULL);
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  struct perfpred_error error = { .status = PERFPRED_OK };
  linker.preload = "liba.so";
  put("/program", &still);
  trace(&linker, "/program", &loaded);
  cr_expect_eq(loaded.count, 1, "nothing is preloaded into it");
  ppi_loaded_free(&loaded);
  scratch_put(&scratch, "/text", "no program\n");
  cr_expect_eq(ppi_linker_trace(&linker, scratch.path, &loaded, &error), PERFPRED_INVALID);
  error.status = PERFPRED_OK;
  cr_expect_eq(ppi_linker_trace(&linker, "/nowhere/program", &loaded, &error), PERFPRED_MISSING);
  cr_expect_eq(loaded.count, 0);
}

/* Libraries that ask for each other in a circle, and for a thousand more. */
Test(linker, ends_in_circles) {
  const struct fake_elf a = { .needed = { "libb.so", "liba.so" } }, b = { .needed = { "liba.so" } };
  const struct ppi_linker linker = linker_of(NULL);
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  put("/last/liba.so", &a);
  put("/last/libb.so", &b);
  cr_assert_eq(ppi_linker_trace_name(&linker, "liba.so", &loaded, NULL), PERFPRED_OK);
  cr_expect_eq(loaded.count, 2);
  ppi_loaded_free(&loaded);
  cr_assert_eq(ppi_linker_trace_name(&linker, "../no/such\nlibrary", &loaded, NULL), PERFPRED_OK);
  cr_assert_eq(loaded.count, 1);
  cr_expect_null(loaded.files[0].path);
  ppi_loaded_free(&loaded);
}

/* --- ld.so.cache ------------------------------------------------------------------------------------------------------ */

struct cache {
  unsigned char data[2048];
  size_t length;
};

static void append(struct cache *cache, const void *data, size_t length) {
  cr_assert_leq(cache->length + length, sizeof cache->data);
  memcpy(cache->data + cache->length, data, length);
  cache->length += length;
}

static void append_number(struct cache *cache, uint64_t number, size_t bytes) {
  append(cache, &number, bytes); /* of a little-endian machine */
}

/* Two entries of a name, the first one for special processors, and one of another. */
static void make_cache(struct cache *cache, size_t start) {
  static const char texts[] = "liba.so\0/a/glibc-hwcaps/best/liba.so\0/plain/liba.so\0libb.so\0/plain/libb.so";
  static const struct {
    unsigned key, value;
    uint64_t special;
  } entries[] = { { 0, 8, 1ULL << 62 | 1 }, { 0, 37, 0 }, { 52, 60, 0 } };
  const unsigned base = 48 + 3 * 24;
  cache->length = start;
  append(cache, "glibc-ld.so.cache1.1", 20);
  append_number(cache, 3, 4);
  append_number(cache, sizeof texts, 4);
  for (int i = 0; i < 5; i++)
    append_number(cache, 0, 4);
  for (int i = 0; i < 3; i++) {
    append_number(cache, 0x303, 4);
    append_number(cache, base + entries[i].key, 4);
    append_number(cache, base + entries[i].value, 4);
    append_number(cache, 0, 4);
    append_number(cache, entries[i].special, 8);
  }
  append(cache, texts, sizeof texts);
}

static void check_cache(void) {
  struct ppi_linker_cache cache;
  size_t at = 0;
  cr_assert_eq(ppi_linker_cache_open(cache_path, &cache, NULL), PERFPRED_OK);
  const char *path = ppi_linker_cache_next(&cache, "liba.so", NULL, &at);
  cr_expect_str_eq(path ? path : "none", "/plain/liba.so");
  cr_expect_null(ppi_linker_cache_next(&cache, "liba.so", NULL, &at));
  at = 0;
  cr_expect_null(ppi_linker_cache_next(&cache, "lib", NULL, &at));
  at = 0;
  path = ppi_linker_cache_next(&cache, "liba.so", "best", &at);
  cr_expect_str_eq(path ? path : "none", "/a/glibc-hwcaps/best/liba.so");
  at = 0;
  cr_expect_null(ppi_linker_cache_next(&cache, "liba.so", "bes", &at));
  ppi_linker_cache_close(&cache);
}

Test(linker, reads_the_cache) {
  struct cache cache = { { 0 }, 0 };
  make_cache(&cache, 0);
  fake_write(cache_path, cache.data, cache.length);
  check_cache();
  /* behind one of the old form, of one entry: 16 + 12 bytes, rounded up to 8 */
  memset(&cache, 0, sizeof cache);
  memcpy(cache.data, "ld.so-1.7.0", 11);
  cache.data[12] = 1;
  make_cache(&cache, 32);
  fake_write(cache_path, cache.data, cache.length);
  check_cache();
}

Test(linker, survives_a_damaged_cache) {
  struct cache good = { { 0 }, 0 };
  make_cache(&good, 0);
  for (size_t i = 0; i < 2 * good.length; i++) {
    struct ppi_linker_cache cache;
    struct cache bad = good;
    size_t at = 0;
    if (i < good.length)
      bad.data[i] = 0xff;
    else
      bad.length = i - good.length;
    fake_write(cache_path, bad.data, bad.length);
    cr_assert_eq(ppi_linker_cache_open(cache_path, &cache, NULL), PERFPRED_OK);
    for (int k = 0; k < 4; k++)
      (void)ppi_linker_cache_next(&cache, k % 2 ? "liba.so" : "libb.so", k % 2 ? "best" : NULL, &at);
    ppi_linker_cache_close(&cache);
  }
}

/* What this very program has loaded is what is found for it, with the cache and the folders of this system. */
Test(linker, finds_what_the_real_one_found) {
  const struct ppi_linker linker = { .library_path = getenv("LD_LIBRARY_PATH") };
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  struct perfpred_error error = { .status = PERFPRED_OK };
  int compared = 0;
  cr_assert_eq(ppi_linker_trace(&linker, "/proc/self/exe", &loaded, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 1; i < loaded.count; i++) {
    cr_assert_not_null(loaded.files[i].path, "%s", loaded.files[i].name);
    if (strncmp(loaded.files[i].name, "ld-", 3) == 0)
      continue;
    void *handle = dlopen(loaded.files[i].name, RTLD_NOW | RTLD_NOLOAD);
    cr_expect_not_null(handle, "%s is loaded", loaded.files[i].name);
    struct link_map *map = NULL;
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
      continue;
    char *theirs = realpath(map->l_name, NULL), *ours = realpath(loaded.files[i].path, NULL);
    cr_expect_str_eq(ours, theirs);
    free(theirs);
    free(ours);
    dlclose(handle);
    compared++;
  }
  cr_expect_gt(compared, 0);
  ppi_loaded_free(&loaded);
}
