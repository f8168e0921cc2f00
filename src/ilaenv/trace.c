/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

#include <unistd.h>

#include "file.h"

#define PROBES 16

/* printf would ask for the locale, a lock, and perhaps memory. */
struct line {
  char text[512];
  size_t length;
};

static void add(struct line *line, const char *text, size_t length) {
  const size_t left = sizeof line->text - 1 - line->length; /* the last one is for the line break */
  length = length < left ? length : left;
  memcpy(line->text + line->length, text, length);
  line->length += length;
}

static void add_text(struct line *line, const char *text) {
  add(line, text, strlen(text));
}

static void add_number(struct line *line, int64_t number) {
  char digits[24];
  size_t at = sizeof digits;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do
    digits[--at] = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (number < 0)
    digits[--at] = '-';
  add(line, digits + at, sizeof digits - at);
}

/* Letters without the blanks behind them; blanks inside and what cannot be printed become '?', nothing becomes '-'. */
static void add_letters(struct line *line, const char *letters, size_t length) {
  while (length > 0 && letters[length - 1] == ' ')
    length--;
  if (length == 0)
    add_text(line, "-");
  for (size_t i = 0; i < length; i++)
    add(line, letters[i] > ' ' && letters[i] <= '~' ? letters + i : "?", 1);
}

static void add_question(struct line *line, const struct ppi_ilaenv_question *question) {
  add_number(line, question->ispec);
  add_text(line, " ");
  add_letters(line, question->upper, sizeof question->upper);
  add_text(line, " ");
  add_letters(line, question->options, sizeof question->options);
  for (int i = 0; i < 4; i++) {
    add_text(line, " ");
    add_number(line, question->sizes[i]);
  }
}

static void end(struct line *line) {
  line->text[line->length++] = '\n';
}

/* Whether a question is new; those that find no place are not reported. */
static bool is_new(_Atomic uint64_t *seen, const struct line *line) {
  uint64_t mark = 1469598103934665603U; /* FNV-1a */
  for (size_t i = 0; i < line->length; i++)
    mark = (mark ^ (unsigned char)line->text[i]) * 1099511628211U;
  mark += mark == 0;
  for (uint64_t i = 0; i < PROBES; i++) {
    uint64_t there = 0;
    if (atomic_compare_exchange_strong(&seen[(mark + i) % PPI_ILAENV_SEEN], &there, mark))
      return true;
    if (there == mark)
      return false;
  }
  return false;
}

static void report(const struct line *question, int64_t answer, bool from_table) {
  struct line line = { .length = 0 };
  add_text(&line, "perfpred: ilaenv ");
  add(&line, question->text, question->length);
  add_text(&line, " = ");
  add_number(&line, answer);
  add_text(&line, from_table ? " (table)" : " (stock)");
  end(&line);
  ppi_ilaenv_file_write(STDERR_FILENO, line.text, line.length);
}

void ppi_ilaenv_trace_table(const char *path, const char *why) {
  struct line line = { .length = 0 };
  add_text(&line, "perfpred: ilaenv: decision table");
  if (path[0] != '\0') {
    add_text(&line, " '");
    add(&line, path, strnlen(path, 300));
    add_text(&line, "'");
  }
  add_text(&line, why ? " is not used: " : " is used");
  add_text(&line, why ? why : "");
  end(&line);
  ppi_ilaenv_file_write(STDERR_FILENO, line.text, line.length);
}

void ppi_ilaenv_trace(const struct ppi_ilaenv_state *state, const struct ppi_ilaenv_question *question, int64_t answer,
                      bool from_table) {
  struct line line = { .length = 0 };
  add_question(&line, question);
  if (state->seen && is_new(state->seen, &line))
    report(&line, answer, from_table);
  if (!state->log)
    return;
  add_text(&line, " ");
  add_number(&line, answer);
  add_text(&line, from_table ? " table" : " stock");
  end(&line);
  ppi_ilaenv_file_append(state->log, line.text, line.length);
}
