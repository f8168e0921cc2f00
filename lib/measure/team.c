/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Before a waiting thread lets others run: there may be more threads than processors. Where there are not, to call the kernel in a pause of
   some ten microseconds would be to miss the start. */
#define SPINS 2000
#define SPINS_ALONE (1 << 17)

struct member {
  struct ppi_team *team;
  pthread_t thread;
  int index, cpu; /* cpu -1: any */
};

struct ppi_team {
  int count, started;
  unsigned patience;      /* SPINS or SPINS_ALONE */
  struct member *members; /* the caller's is not used */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  bool awake, over; /* under the mutex */
  atomic_bool sleepy;
  atomic_uint generation;
  atomic_int ready, working;
  void (*work)(void *data, int index);
  void *data;
};

static void breathe(const struct ppi_team *team, unsigned *spins) {
  if (++*spins % team->patience == 0)
    sched_yield();
#if defined(__x86_64__)
  else
    __builtin_ia32_pause();
#endif
}

static void pin(int cpu) {
#ifdef __linux__
  cpu_set_t set;
  if (cpu < 0 || cpu >= CPU_SETSIZE)
    return;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  sched_setaffinity(0, sizeof set, &set); /* failing is no harm */
#else
  (void)cpu;
#endif
}

/* false: it is all over. */
static bool sleep_until_armed(struct ppi_team *team) {
  pthread_mutex_lock(&team->mutex);
  while (!team->awake && !team->over)
    pthread_cond_wait(&team->wake, &team->mutex);
  bool over = team->over;
  pthread_mutex_unlock(&team->mutex);
  return !over;
}

static void *live(void *argument) {
  const struct member *member = argument;
  struct ppi_team *team = member->team;
  pin(member->cpu);
  while (sleep_until_armed(team)) {
    unsigned seen = atomic_load(&team->generation), spins = 0;
    atomic_fetch_add(&team->ready, 1);
    while (!atomic_load(&team->sleepy)) {
      if (atomic_load(&team->generation) == seen) {
        breathe(team, &spins);
        continue;
      }
      seen++;
      team->work(team->data, member->index);
      atomic_fetch_sub(&team->working, 1);
    }
    atomic_fetch_sub(&team->ready, 1);
    /* Nobody is armed again before all have left. */
  }
  return NULL;
}

static void wait_for(const struct ppi_team *team, const atomic_int *number, int value) {
  unsigned spins = 0;
  while (atomic_load(number) != value)
    breathe(team, &spins);
}

enum perfpred_status ppi_team_create(int count, const int *cpus, int cpu_count, struct ppi_team **team,
                                     struct perfpred_error *error) {
  struct ppi_team *made = calloc(1, sizeof *made);
  if (made == NULL)
    return ppi_error_memory(error);
  made->count = count;
  made->patience = cpus != NULL && cpu_count >= count ? SPINS_ALONE : SPINS;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->wake, NULL);
  atomic_init(&made->sleepy, true);
  made->members = calloc((size_t)count, sizeof *made->members);
  if (made->members == NULL) {
    ppi_team_destroy(made);
    return ppi_error_memory(error);
  }
  for (int i = 1; i < count; i++) {
    made->members[i] =
        (struct member){ .team = made, .index = i, .cpu = cpus != NULL && cpu_count > 0 ? cpus[i % cpu_count] : -1 };
    if (pthread_create(&made->members[i].thread, NULL, live, &made->members[i]) != 0) {
      ppi_team_destroy(made);
      return ppi_error_set(error, PERFPRED_LIMIT, "thread %d of %d of a parallel region cannot be created", i + 1,
                           count);
    }
    made->started++;
  }
  *team = made;
  return PERFPRED_OK;
}

void ppi_team_destroy(struct ppi_team *team) {
  if (team == NULL)
    return;
  ppi_team_park(team);
  pthread_mutex_lock(&team->mutex);
  team->over = true;
  pthread_cond_broadcast(&team->wake);
  pthread_mutex_unlock(&team->mutex);
  for (int i = 1; i <= team->started; i++)
    pthread_join(team->members[i].thread, NULL);
  pthread_cond_destroy(&team->wake);
  pthread_mutex_destroy(&team->mutex);
  free(team->members);
  free(team);
}

int ppi_team_count(const struct ppi_team *team) {
  return team->count;
}

void ppi_team_arm(struct ppi_team *team) {
  if (!atomic_load(&team->sleepy))
    return;
  atomic_store(&team->sleepy, false);
  pthread_mutex_lock(&team->mutex);
  team->awake = true;
  pthread_cond_broadcast(&team->wake);
  pthread_mutex_unlock(&team->mutex);
  wait_for(team, &team->ready, team->started);
}

void ppi_team_run(struct ppi_team *team, void (*work)(void *data, int index), void *data) {
  ppi_team_arm(team);
  team->work = work;
  team->data = data;
  atomic_store(&team->working, team->started);
  atomic_fetch_add(&team->generation, 1);
  work(data, 0);
  wait_for(team, &team->working, 0);
}

void ppi_team_park(struct ppi_team *team) {
  if (atomic_load(&team->sleepy))
    return;
  pthread_mutex_lock(&team->mutex);
  team->awake = false;
  pthread_mutex_unlock(&team->mutex);
  atomic_store(&team->sleepy, true);
  wait_for(team, &team->ready, 0);
}
