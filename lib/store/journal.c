/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/lock.h"
#include "store/parts.h"

#define JOURNALS 9
#define FORMAT "perfpred-journal"
#define VERSION 1

/* What of a record is on disk. */
struct written {
  size_t parts;
  uint64_t disturbed;
  double measure_s;
};

struct held {
  int descriptor;
  char path[PATH_MAX];
  char mark[PPI_MARK_MAX]; /* identifier, "" where it has none */
};

struct ppi_journal {
  const struct perfpred_context *context;
  const struct ppi_journal_owner *owner;
  struct ppi_samples *samples;
  struct held held[JOURNALS]; /* the first is written to */
  int count;
  struct written *written; /* by the place of a record */
  size_t written_count;
  size_t *places; /* of the records that were read */
  size_t place_count;
  bool kept;
};

static enum perfpred_status io_failed(const char *path, const char *what, int number, struct perfpred_error *error) {
  char why[128];

  return ppi_error_set(error, PERFPRED_IO, "%s: %s: %s", path, what, strerror_r(number, why, sizeof why));
}

static bool name_of(const char *path, int number, char name[PATH_MAX]) {
  int length = number == 1 ? snprintf(name, PATH_MAX, "%s", path) : snprintf(name, PATH_MAX, "%s.%d", path, number);

  return length > 0 && length < PATH_MAX;
}

static enum perfpred_status write_line(const struct held *held, struct ppi_text *text, struct perfpred_error *error) {
  struct stat about;
  int number = fstat(held->descriptor, &about) == 0 ? 0 : errno;

  if (!number)
    number = ppi_store_write_all(held->descriptor, text->data, text->length);
  if (!number && fdatasync(held->descriptor) != 0 && errno != EINVAL)
    number = errno;
  if (!number)
    return PERFPRED_OK;
  /* What is there of it would be a line that is not whole with others behind it. */
  if (ftruncate(held->descriptor, about.st_size) != 0)
    number = errno;
  return io_failed(held->path, "cannot be written", number, error);
}

/* No other journal has it: no process does two things at once, and no two have one number at one time. */
static void make_mark(char mark[PPI_MARK_MAX]) {
  struct timespec now = { 0, 0 };

  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(mark, PPI_MARK_MAX, "%llx%08lx-%lx", (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec,
           (unsigned long)getpid());
}

static enum perfpred_status write_header(struct ppi_journal *journal, struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct ppi_json_out out, machine, setup;
  enum perfpred_status status;

  make_mark(journal->held->mark);
  ppi_json_begin(&out);
  ppi_json_put_string(&out, "format", FORMAT);
  ppi_json_put_integer(&out, "version", VERSION);
  ppi_json_put_string(&out, "id", journal->held->mark);
  ppi_json_put_string(&out, "library", journal->owner->setup->library);
  ppi_json_begin(&machine);
  ppi_store_put_machine(&machine, journal->owner->machine);
  ppi_json_put_object(&out, "machine", &machine);
  ppi_json_begin(&setup);
  ppi_store_put_setup(&setup, journal->owner->setup);
  ppi_json_put_object(&out, "setup", &setup);
  ppi_json_end(&out, &text);
  ppi_text_append(&text, "\n");
  status = text.failed ? ppi_error_memory(error) : write_line(journal->held, &text, error);
  ppi_text_free(&text);
  return status;
}

#define WAY_OUT "delete it, or start anew (restart)"

static enum perfpred_status compare_owner(const struct ppi_journal *journal, const struct ppi_machine *machine,
                                          const struct ppi_setup *setup, const struct ppi_json_node *root) {
  const struct ppi_journal_owner *owner = journal->owner;
  struct perfpred_error why;

  if (ppi_machine_compare(machine, owner->machine, &why) != PERFPRED_OK)
    return ppi_json_fail(root, NULL, PERFPRED_OTHER_MACHINE, "its samples are of another machine: " WAY_OUT);
  if (!ppi_setup_same(setup, owner->setup))
    return ppi_json_fail(root, NULL, PERFPRED_OTHER_BLAS,
                         "its samples are of another setup, %.80s with %d threads: " WAY_OUT,
                         setup->blas.path[0] ? setup->blas.path : setup->blas.family, setup->threads);
  if (strcmp(setup->library, owner->setup->library) != 0)
    return ppi_json_fail(root, NULL, PERFPRED_VERSION, "its samples are of libperfpred %s: " WAY_OUT, setup->library);
  return PERFPRED_OK;
}

static enum perfpred_status check_owner(const struct ppi_journal *journal, const struct ppi_json_node *root) {
  struct ppi_machine *machine = calloc(1, sizeof *machine);
  struct ppi_setup *setup = calloc(1, sizeof *setup);
  struct ppi_json_node node;
  enum perfpred_status status = machine && setup ? PERFPRED_OK : ppi_error_memory(root->error);

  if (!status)
    status = ppi_store_get_machine(root, machine);
  if (!status)
    status = ppi_json_object(root, "setup", &node);
  if (!status)
    status = ppi_store_get_setup(&node, setup);
  if (!status)
    status = compare_owner(journal, machine, setup, root);
  free(setup);
  free(machine);
  return status;
}

/* *known: its samples are known, so that nothing else matters. */
static enum perfpred_status check_header(const struct ppi_journal *journal, struct held *held,
                                         const struct ppi_json_node *root, bool *known) {
  int64_t version = 0;
  enum perfpred_status status = ppi_json_integer(root, "version", 0, PPI_JSON_INTEGER_MAX, &version);

  if (!status && version != VERSION)
    status =
        ppi_json_fail(root, "version", PERFPRED_VERSION, "%lld: expected %d: " WAY_OUT, (long long)version, VERSION);
  if (!status && ppi_json_has(root, "id"))
    status = ppi_json_string(root, "id", held->mark, sizeof held->mark);
  if (status)
    return status;
  *known = held->mark[0] && journal->owner->known && ppi_marks_have(journal->owner->known, held->mark);
  return *known ? PERFPRED_OK : check_owner(journal, root);
}

static enum perfpred_status read_record(struct ppi_journal *journal, const struct ppi_json_node *root) {
  size_t count = journal->place_count;
  size_t *places = realloc(journal->places, (count + 1) * sizeof *places);

  if (!places)
    return ppi_error_memory(root->error);
  journal->places = places;
  journal->place_count++;
  places[count] = 0;
  return ppi_store_get_record(journal->context, root, journal->samples, places + count);
}

/* Somebody else's file, which is neither written to nor removed, whatever was asked for. */
static enum perfpred_status foreign(const struct held *held, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_CORRUPT,
                       "%s: expected a journal, which this is not: move it away or write to another file", held->path);
}

/* Whether a file begins as journals do, as far as it goes: one that ends within its first line was written by somebody who was
   stopped. */
static bool begins_as_journal(const char *text, size_t length) {
  static const char opening[] = "{\"format\": \"" FORMAT "\"";
  const size_t most = sizeof opening - 1;

  return memcmp(text, opening, length < most ? length : most) == 0;
}

/* One line; its number for messages. */
static enum perfpred_status read_line(struct ppi_journal *journal, struct held *held, int number, const char *line,
                                      size_t length, bool *known, struct perfpred_error *error) {
  char source[PATH_MAX + 24];
  struct ppi_json_node root;
  enum perfpred_status status;

  snprintf(source, sizeof source, "%s:%d", held->path, number);
  status = ppi_json_parse(line, length, source, &root, error);
  if (status == PERFPRED_CORRUPT && number == 1) {
    ppi_error_clear(error); /* where the parser stumbled says nothing of what was expected */
    return ppi_error_set(error, status, "%s: expected a journal, whose first line this is not: " WAY_OUT, held->path);
  }
  if (status)
    return status;
  status = number == 1 ? check_header(journal, held, &root, known) : read_record(journal, &root);
  ppi_json_release(&root);
  return status;
}

/* Reads the lines that are whole and cuts off what stands behind them; *any: there was one. Of a journal whose samples are
   known only the first one. */
static enum perfpred_status read_lines(struct ppi_journal *journal, struct held *held, const char *text, size_t length,
                                       bool *any, bool *known, struct perfpred_error *error) {
  const char *line, *end;
  int number = 0;
  enum perfpred_status status = PERFPRED_OK;

  for (line = text; !status && !*known && length > 0 && (end = memchr(line, '\n', length - (size_t)(line - text)));
       line = end + 1)
    status = read_line(journal, held, ++number, line, (size_t)(end - line), known, error);
  if (!status && !*known && ftruncate(held->descriptor, line - text) != 0)
    status = io_failed(held->path, "cannot be written", errno, error);
  *any = number > 0;
  return status;
}

static void drop(const struct held *held) {
  unlink(held->path);
  close(held->descriptor);
}

/* Takes over what is there, or finds that it need not be kept (*drop_it). */
static enum perfpred_status read_held(struct ppi_journal *journal, struct held *held, bool *any, bool *drop_it,
                                      struct perfpred_error *error) {
  char *text = NULL;
  size_t length = 0;
  enum perfpred_status status = ppi_store_read_descriptor(held->descriptor, held->path, &text, &length, error);

  if (status)
    return status;
  if (!begins_as_journal(text, length))
    status = foreign(held, error);
  else if (journal->owner->restart)
    *drop_it = true;
  else
    status = read_lines(journal, held, text, length, any, drop_it, error);
  free(text);
  return status;
}

/* Takes over a file that is there; one that another process has is passed over. */
static enum perfpred_status take(struct ppi_journal *journal, struct held *held, bool *any,
                                 struct perfpred_error *error) {
  struct stat about;
  bool drop_it = false;
  enum perfpred_status status;

  held->mark[0] = '\0';
  held->descriptor = open(held->path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK);
  if (held->descriptor < 0)
    return errno == ENOENT ? PERFPRED_OK : io_failed(held->path, "cannot be opened", errno, error);
  if (!ppi_lock_try(held->descriptor) || fstat(held->descriptor, &about) != 0 || about.st_nlink == 0) {
    close(held->descriptor);
    return PERFPRED_OK;
  }
  journal->count++;
  status = S_ISREG(about.st_mode) ? read_held(journal, held, any, &drop_it, error) : foreign(held, error);
  if (!status && drop_it) {
    drop(held);
    journal->count--;
  }
  return status;
}

/* A new file under the first name that is free. */
static enum perfpred_status make(struct ppi_journal *journal, const char *path, struct perfpred_error *error) {
  struct held *held = journal->held;

  for (int number = 1; number <= JOURNALS; number++) {
    name_of(path, number, held->path);
    held->descriptor = open(held->path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (held->descriptor < 0 && errno == EEXIST)
      continue;
    if (held->descriptor < 0)
      return io_failed(held->path, "cannot be made", errno, error);
    if (ppi_lock_try(held->descriptor)) {
      journal->count = 1;
      return write_header(journal, error);
    }
    close(held->descriptor);
  }
  return ppi_error_set(error, PERFPRED_LIMIT, "%s: %d other processes have journals of this file", path, JOURNALS);
}

static enum perfpred_status open_all(struct ppi_journal *journal, const char *path, struct perfpred_error *error) {
  bool first = false;

  for (int number = 1; number <= JOURNALS; number++) {
    struct held *held = journal->held + journal->count;
    int count = journal->count;
    bool any = false;
    enum perfpred_status status;

    if (!name_of(path, number, held->path))
      return io_failed(path, "cannot be made", ENAMETOOLONG, error);
    status = take(journal, held, &any, error);
    if (status)
      return status;
    if (count == 0 && journal->count == 1)
      first = any;
  }
  if (journal->count == 0)
    return make(journal, path, error);
  return first ? PERFPRED_OK : write_header(journal, error);
}

/* Room for what is on disk of every record; those that are new have nothing there, unless all that is known counts. */
static enum perfpred_status reserve(struct ppi_journal *journal, bool all_known, struct perfpred_error *error) {
  size_t count = journal->samples->count;
  struct written *written;

  if (count <= journal->written_count)
    return PERFPRED_OK;
  written = realloc(journal->written, count * sizeof *written);
  if (!written)
    return ppi_error_memory(error);
  journal->written = written;
  for (size_t i = journal->written_count; i < count; i++) {
    const struct ppi_record *record = journal->samples->records[i];

    written[i] = all_known ? (struct written){ record->part_count, record->disturbed, record->measure_s }
                           : (struct written){ 0, 0, 0.0 };
  }
  journal->written_count = count;
  return PERFPRED_OK;
}

enum perfpred_status ppi_journal_open(const struct perfpred_context *context, const char *path,
                                      const struct ppi_journal_owner *owner, struct ppi_samples *samples,
                                      struct ppi_journal **journal, struct perfpred_error *error) {
  struct ppi_journal *made = calloc(1, sizeof *made);
  enum perfpred_status status;

  if (!made)
    return ppi_error_memory(error);
  made->context = context;
  made->owner = owner;
  made->samples = samples;
  status = open_all(made, path, error);
  if (!status)
    status = reserve(made, true, error);
  if (status) {
    ppi_journal_close(made);
    return status;
  }
  *journal = made;
  return PERFPRED_OK;
}

static void put_line(struct ppi_text *text, const struct ppi_record *record, struct written *written) {
  double measure_s = record->measure_s - written->measure_s;
  struct ppi_json_out out;

  if (record->part_count == written->parts)
    return;
  ppi_json_begin(&out);
  /* a difference of sums may come out below 0 */
  ppi_store_put_record(&out, record, written->parts, record->disturbed - written->disturbed,
                       measure_s < 0.0 ? 0.0 : measure_s);
  ppi_json_end(&out, text);
  ppi_text_append(text, "\n");
  *written = (struct written){ record->part_count, record->disturbed, record->measure_s };
}

enum perfpred_status ppi_journal_added(void *data, const struct ppi_record *const *records, size_t count,
                                       struct perfpred_error *error) {
  struct ppi_journal *journal = data;
  struct ppi_text text = PPI_TEXT_INIT;
  enum perfpred_status status = reserve(journal, false, error);

  for (size_t i = 0; !status && i < count; i++) {
    const struct ppi_record *record = records[i];
    const struct ppi_key key = ppi_record_key(record);
    size_t place = ppi_samples_place_at(journal->samples, &key);

    put_line(&text, record, journal->written + place);
  }
  if (!status && text.failed)
    status = ppi_error_memory(error);
  if (!status && text.length > 0)
    status = write_line(journal->held, &text, error);
  ppi_text_free(&text);
  return status;
}

void ppi_journal_check_use(struct ppi_journal *journal, const size_t *used, size_t used_count) {
  for (size_t i = 0; i < journal->place_count; i++)
    journal->kept = journal->kept || journal->places[i] >= used_count || used[journal->places[i]] == 0;
}

void ppi_journal_mark(const struct ppi_journal *journal, struct ppi_marks *marks) {
  for (int i = 0; i < journal->count && !journal->kept; i++)
    ppi_marks_add(marks, journal->held[i].mark);
}

void ppi_journal_finish(struct ppi_journal *journal) {
  if (!journal || journal->kept)
    return;
  for (int i = 0; i < journal->count; i++)
    unlink(journal->held[i].path);
  journal->kept = true; /* there is nothing left to remove */
}

void ppi_journal_close(struct ppi_journal *journal) {
  if (!journal)
    return;
  for (int i = 0; i < journal->count; i++)
    close(journal->held[i].descriptor);
  free(journal->places);
  free(journal->written);
  free(journal);
}
