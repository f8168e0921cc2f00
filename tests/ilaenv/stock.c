/* SPDX-License-Identifier: BSD-3-Clause */
/* Without a table the override answers as the ILAENV of reference LAPACK does that is installed: for every routine that the
   library has, every ISPEC, and sizes on both sides of all that makes a difference (case C05).
 *
 *   stock OVERRIDE WIDE [LAPACK]
 *
 * WIDE is an override that has ilaenv_64_ as well. */
#include <dlfcn.h>
#include <elf.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

typedef int ilaenv_fn(const int *ispec, const char *name, const char *options, const int *n1, const int *n2,
                      const int *n3, const int *n4, size_t name_length, size_t options_length);

static ilaenv_fn *ours, *theirs;

struct difference {
  long asked, wrong;
  char first[200];
};

static void compare(struct difference *found, int ispec, const char *name, size_t length, const char *options,
                    const int n[4]) {
  const size_t options_length = strlen(options);
  const int our = ours(&ispec, name, options, &n[0], &n[1], &n[2], &n[3], length, options_length);
  const int their = theirs(&ispec, name, options, &n[0], &n[1], &n[2], &n[3], length, options_length);
  found->asked++;
  if (our != their && found->wrong++ == 0)
    snprintf(found->first, sizeof found->first, "ILAENV(%d, '%.*s', '%s', %d, %d, %d, %d): %d, expected %d", ispec,
             (int)length, name, options, n[0], n[1], n[2], n[3], our, their);
}

static void tell(struct tap *tap, const struct difference *found, const char *what) {
  if (found->wrong > 0)
    printf("# %ld of %ld differ, first %s\n", found->wrong, found->asked, found->first);
  tap_case(tap, found->wrong == 0 && found->asked > 0, "%s: %ld questions", what, found->asked);
}

/* --- Names: the library's own routines ---------------------------------------------------------------------------------- */

struct names {
  char (*items)[24];
  size_t count;
};

/* "dpotrf_" becomes "DPOTRF". */
static void add_name(struct names *names, const char *symbol) {
  const size_t length = strlen(symbol);
  if (length < 3 || length > 20 || symbol[length - 1] != '_' || !strchr("sdcz", symbol[0]))
    return;
  names->items = realloc(names->items, (names->count + 1) * sizeof *names->items);
  char *name = names->items[names->count++];
  for (size_t i = 0; i + 1 < length; i++)
    name[i] = symbol[i] >= 'a' && symbol[i] <= 'z' ? (char)(symbol[i] - 'a' + 'A') : symbol[i];
  name[length - 1] = '\0';
}

/* How many symbols there are stands in the hash table alone. */
static uint32_t symbols_of(const uint32_t *hash) {
  const uint32_t buckets = hash[0], offset = hash[1], bloom = hash[2];
  const uint32_t *bucket = hash + 4 + bloom * (sizeof(size_t) / 4), *chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; i++)
    last = bucket[i] > last ? bucket[i] : last;
  if (last < offset)
    return 0;
  while ((chain[last - offset] & 1) == 0)
    last++;
  return last + 1;
}

static void list_names(void *library, struct names *names) {
  const ElfW(Sym) *symbols = NULL;
  const char *strings = NULL;
  const uint32_t *hash = NULL;
  struct link_map *map;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_SYMTAB)
      symbols = (const void *)entry->d_un.d_ptr;
    else if (entry->d_tag == DT_STRTAB)
      strings = (const void *)entry->d_un.d_ptr;
    else if (entry->d_tag == DT_GNU_HASH)
      hash = (const void *)entry->d_un.d_ptr;
  }
  for (uint32_t i = 0, count = symbols && strings && hash ? symbols_of(hash) : 0; i < count; i++)
    if (symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC)
      add_name(names, strings + symbols[i].st_name);
}

/* --- Grids -------------------------------------------------------------------------------------------------------------- */

static const int sizes[] = { INT_MIN, -7,   -1,   0,    1,    2,     63,     64,     65,      300,
                             1000,    1500, 2048, 8192, 8193, 46341, 131072, 200000, 2000000, INT_MAX };
static const int orders[] = { INT_MIN, -1,  0,   1,   13,   14,   15,   29,   30,   31,   59,   60,     61,     149,
                              150,     151, 180, 181, 182,  183,  255,  361,  362,  363,  364,  500,    501,    588,
                              589,     590, 591, 592, 1000, 2999, 3000, 3001, 5999, 6000, 6001, 100000, INT_MAX };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void compare_block_sizes(struct difference *found, const char *name, size_t length) {
  static const int thirds[] = { -1, 1, 2 }, fourths[] = { -1, 64, 65 };
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (size_t j = 0; j < COUNT(sizes); j++)
      for (size_t k = 0; k < COUNT(thirds) * COUNT(fourths); k++) {
        const int n[] = { sizes[i], sizes[j], thirds[k % 3], fourths[k / 3] };
        compare(found, 1, name, length, k % 2 ? "U" : " ", n);
      }
}

static void compare_others(struct difference *found, const char *name, size_t length) {
  for (int ispec = -1; ispec <= 19; ispec++)
    for (size_t i = 0; i < COUNT(orders) && ispec != 1; i++) {
      compare(found, ispec, name, length, "EN", (const int[]){ orders[i], 1, orders[i], -1 });
      compare(found, ispec, name, length, "", (const int[]){ 500, 5, orders[i], orders[i] });
      compare(found, ispec, name, length, " ", (const int[]){ orders[i], orders[COUNT(orders) - 1 - i], -1, 0 });
    }
}

static void compare_names(struct tap *tap, const struct names *names) {
  struct difference blocks = { 0 }, others = { 0 };
  for (size_t i = 0; i < names->count; i++) {
    compare_block_sizes(&blocks, names->items[i], strlen(names->items[i]));
    compare_others(&others, names->items[i], strlen(names->items[i]));
  }
  tell(tap, &blocks, "ISPEC=1");
  tell(tap, &others, "every other ISPEC");
}

/* Cut at every length, in small letters, with blanks behind, with one capital. */
static void compare_spellings(struct tap *tap, const struct names *names) {
  static const int n[] = { 700, 600, 1, 70 };
  struct difference cut = { 0 }, small = { 0 }, padded = { 0 }, capital = { 0 }, shifted = { 0 };
  for (size_t i = 0; i < names->count; i++) {
    char text[40] = "";
    const char *name = names->items[i];
    const size_t length = strlen(name);
    for (int ispec = 1; ispec <= 17; ispec++) {
      for (size_t part = 0; part <= length; part++)
        compare(&cut, ispec, name, part, " ", n);
      for (size_t j = 0; j <= length; j++)
        text[j] = name[j] >= 'A' && name[j] <= 'Z' ? (char)(name[j] - 'A' + 'a') : name[j];
      compare(&small, ispec, text, length, "u", n);
      text[0] = name[0];
      compare(&capital, ispec, text, length, "u", n);
      snprintf(text, sizeof text, "%-30s", name);
      compare(&padded, ispec, text, 30, " ", n);
      snprintf(text, sizeof text, "E%s", name);
      compare(&shifted, ispec, text, length + 1, " ", n);
    }
  }
  tell(tap, &cut, "names that are cut");
  tell(tap, &small, "names in small letters");
  tell(tap, &capital, "names with one capital letter");
  tell(tap, &padded, "names with blanks behind them");
  tell(tap, &shifted, "names of no data type");
}

/* The question that says whether ILAENV is asked right: without it, equal nonsense would pass. */
static void check_known(struct tap *tap) {
  static const int one = 1, three = 3, n = 100, none = -1;
  tap_case(tap, theirs(&one, "DPOTRF", "U", &n, &none, &none, &none, 6, 1) == 64,
           "the library gives DPOTRF 64 columns");
  tap_case(tap, ours(&three, "DGEQRF", " ", &n, &n, &none, &none, 6, 1) == 128, "the crossover of DGEQRF is 128");
}

typedef int64_t ilaenv_wide_fn(const int64_t *ispec, const char *name, const char *options, const int64_t *n1,
                               const int64_t *n2, const int64_t *n3, const int64_t *n4, size_t name_length,
                               size_t options_length);

/* Integers of 64 bits, under a name of their own and, as Debian's liblapack64 has it, under the usual one. */
static void check_wide(struct tap *tap, void *library) {
  static const int64_t ispecs[] = { 1, 6, 99 }, large = (int64_t)1 << 40, one = 1, none = -1, n = 100;
  ilaenv_wide_fn *wide = (ilaenv_wide_fn *)dlsym(library, "ilaenv_64_");
  ilaenv_wide_fn *usual = (ilaenv_wide_fn *)dlsym(library, "ilaenv_");
  tap_case(tap, wide && usual, "names for integers of 64 bits");
  if (!wide || !usual)
    return;
  tap_case(tap, wide(&ispecs[0], "DPOTRF", "U", &n, &none, &none, &none, 6, 1) == 64, "64 columns");
  tap_case(tap, wide(&ispecs[0], "DGEQR ", " ", &large, &n, &one, &none, 6, 1) == 327, "rows of a very tall DGEQR");
  tap_case(tap, wide(&ispecs[1], "DGESVD", " ", &large, &large, &none, &none, 6, 1) > large, "ISPEC=6 of large sizes");
  tap_case(tap, wide(&ispecs[2], "DGESVD", " ", &n, &n, &n, &n, 6, 1) == -1, "no such ISPEC");
  tap_case(tap, usual(&ispecs[0], "DPOTRF", "U", &n, &none, &none, &none, 6, 1) == 64, "64 columns by the usual name");
  tap_case(tap, usual(&ispecs[2], "DGESVD", " ", &n, &n, &n, &n, 6, 1) == -1, "no such ISPEC by the usual name");
}

static void *open_lapack(const char *path) {
  glob_t found;
  void *library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
  if (path || glob("/usr/lib/*/lapack/liblapack.so.3", 0, NULL, &found) != 0)
    return library;
  library = dlopen(found.gl_pathv[0], RTLD_LAZY | RTLD_LOCAL);
  globfree(&found);
  return library;
}

int main(int argc, char **argv) {
  struct tap tap = { 0 };
  struct names names = { 0 };
  setenv("PERFPRED_TABLE", "", 1);
  void *override = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *wide = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *lapack = open_lapack(argc > 3 ? argv[3] : NULL);
  if (!override || !wide) {
    fprintf(stderr, "%s\n", argc > 2 ? dlerror() : "usage: stock OVERRIDE WIDE [LAPACK]");
    return 2;
  }
  if (!lapack) {
    puts("1..0 # SKIP reference LAPACK is not installed");
    return 0;
  }
  ours = (ilaenv_fn *)dlsym(override, "ilaenv_");
  theirs = (ilaenv_fn *)dlsym(lapack, "ilaenv_");
  list_names(lapack, &names);
  tap_case(&tap, ours && theirs && ours != theirs, "two functions");
  tap_case(&tap, names.count > 1500, "%zu names of routines", names.count);
  if (ours && theirs) {
    check_known(&tap);
    compare_names(&tap, &names);
    compare_spellings(&tap, &names);
    check_wide(&tap, wide);
  }
  free(names.items);
  return tap_finish(&tap);
}
