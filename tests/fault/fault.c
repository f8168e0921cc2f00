/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **pointer, size_t alignment, size_t size);
void __real_free(void *pointer);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size);
char *__wrap_strdup(const char *string);
char *__wrap_strndup(const char *string, size_t length);
void __wrap_free(void *pointer);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data);

/* Pointers that our objects hold, in a table with open addressing. */
#define SLOTS (1u << 18)
static void *const gone = (void *)(uintptr_t)1;
static void *held[SLOTS];
static size_t held_count;

static unsigned long allocations; /* of our objects, ever */
static unsigned long counted;     /* of the present run */
static unsigned long fail_at;     /* which of them fails; 0: none */
static int fired, paused;
static int thread_fails; /* after so many */
static const char *touched;

static size_t first_slot(const void *pointer) {
  return (size_t)(((uintptr_t)pointer >> 4) * 0x9E3779B97F4A7C15u >> 46) % SLOTS;
}

static void *hold(void *pointer) {
  if (!pointer)
    return NULL;
  size_t slot = first_slot(pointer);
  while (held[slot] && held[slot] != gone)
    slot = (slot + 1) % SLOTS;
  held[slot] = pointer;
  if (++held_count > SLOTS / 2)
    abort(); /* the table is too small for this test */
  return pointer;
}

/* What others allocated and we free (text of jansson's) is not in the table. */
static void release(const void *pointer) {
  for (size_t slot = first_slot(pointer); held[slot]; slot = (slot + 1) % SLOTS)
    if (held[slot] == pointer) {
      held[slot] = gone;
      held_count--;
      return;
    }
}

static bool fails(void) {
  allocations++;
  if (paused || ++counted != fail_at)
    return false;
  fired = 1;
  errno = ENOMEM;
  return true;
}

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : hold(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : hold(__real_calloc(count, size));
}

void *__wrap_realloc(void *pointer, size_t size) {
  if (fails())
    return NULL;
  if (pointer)
    release(pointer);
  return hold(__real_realloc(pointer, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : hold(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size) {
  if (fails())
    return ENOMEM;
  const int code = __real_posix_memalign(pointer, alignment, size);
  if (code == 0)
    hold(*pointer);
  return code;
}

char *__wrap_strndup(const char *string, size_t length) {
  if (fails())
    return NULL;
  const size_t used = strnlen(string, length);
  char *copy = hold(__real_malloc(used + 1));
  if (copy) {
    memcpy(copy, string, used);
    copy[used] = '\0';
  }
  return copy;
}

char *__wrap_strdup(const char *string) {
  return __wrap_strndup(string, strlen(string));
}

void __wrap_free(void *pointer) {
  if (pointer)
    release(pointer);
  __real_free(pointer);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data) {
  if (thread_fails > 0 && --thread_fails == 0)
    return EAGAIN;
  return __real_pthread_create(thread, attributes, start, data);
}

void fault_thread(int n) {
  thread_fails = n;
}

void fault_pause(void) {
  paused++;
}

void fault_resume(void) {
  paused--;
}

unsigned long fault_allocations(void) {
  return allocations;
}

void fault_touched(const char *what) {
  touched = what;
}

/* Runs once with the n-th allocation failing. Returns what is wrong, or NULL. */
static const char *run(fault_scenario *scenario, unsigned long n, struct perfpred_error *error) {
  const size_t before = held_count;
  *error = (struct perfpred_error){ PERFPRED_OK, 0, 0, "" };
  counted = 0;
  fired = 0;
  touched = NULL;
  fail_at = n;
  const enum perfpred_status status = scenario(error);
  fail_at = 0;
  if (held_count != before)
    return "it leaks";
  if (touched)
    return touched;
  if (!fired)
    return status ? "it fails though no allocation does" : NULL;
  if (status && status != PERFPRED_NO_MEMORY)
    return "another status than NO_MEMORY";
  if (status && (error->status != status || !error->text[0]))
    return "status and text of the error do not say NO_MEMORY";
  return NULL;
}

void fault_check(struct tap *tap, const char *name, fault_scenario *scenario) {
  struct perfpred_error error;
  const char *complaint = NULL;
  unsigned long n = 0, tried = 0;
  /* all of the first ones, then ever fewer: a scenario may allocate ten thousand times; FAULT_EVERY=1 tries each */
  const char *asked = getenv("FAULT_EVERY");
  const bool every = asked && asked[0] != '\0';
  fired = 1;
  while (!complaint && fired) {
    n += every ? 1 : 1 + n / 64;
    tried++;
    complaint = run(scenario, n, &error);
  }
  if (complaint)
    printf("# allocation %lu fails: %s (%s: %s)\n", n, complaint, perfpred_status_name(error.status), error.text);
  else
    printf("# %lu allocations, %lu of them made to fail\n", counted, tried - 1);
  tap_case(tap, !complaint && (tried > 1), "%s", name);
}
