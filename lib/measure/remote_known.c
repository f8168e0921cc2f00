/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels and programs travel to the worker as text, each once. The worker has the catalogue; what it knows already under
 * the same name and with the same text is fine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/remote.h"

/* Room for one more in an array of references. */
static void **grow(void **array, size_t count, size_t *space) {
  if (count < *space)
    return array;
  size_t wanted = *space ? 2 * *space : 8;
  void **larger = realloc(array, wanted * sizeof *larger);
  if (larger)
    *space = wanted;
  return larger;
}

/* Reading is no timed call: a caller's short patience with those is none with this. */
static enum perfpred_status send_text(struct ppi_remote *remote, bool program, const char *name, const char *text,
                                      struct perfpred_error *error) {
  ppi_wire_start(&remote->out, PPI_MESSAGE_TEXT);
  ppi_wire_put_i64(&remote->out, program);
  ppi_wire_put_string(&remote->out, name);
  ppi_wire_put_string(&remote->out, text);
  return ppi_remote_ask(remote, NULL, fmax(remote->plan.start_s, remote->plan.timeout_s), error);
}

static bool knows_kernel(const struct ppi_remote *remote, const struct perfpred_kernel *kernel) {
  for (size_t i = 0; i < remote->kernel_count; i++)
    if (remote->kernels[i] == kernel)
      return true;
  return false;
}

enum perfpred_status ppi_remote_introduce(struct ppi_remote *remote, const struct perfpred_kernel *kernel,
                                          struct perfpred_error *error) {
  char *text = NULL;
  if (knows_kernel(remote, kernel))
    return PERFPRED_OK;
  void **grown = grow((void **)remote->kernels, remote->kernel_count, &remote->kernel_space);
  if (!grown)
    return ppi_error_memory(error);
  remote->kernels = (struct perfpred_kernel **)grown;
  enum perfpred_status status = perfpred_kernel_print(kernel, &text, error);
  if (status == PERFPRED_OK)
    status = send_text(remote, false, kernel->name, text, error);
  if (status == PERFPRED_OK)
    remote->kernels[remote->kernel_count++] = ppi_kernel_ref(kernel);
  perfpred_free(text);
  return status;
}

static bool knows_program(const struct ppi_remote *remote, const struct perfpred_program *program) {
  for (size_t i = 0; i < remote->program_count; i++)
    if (remote->programs[i] == program)
      return true;
  return false;
}

static enum perfpred_status introduce_program(struct ppi_remote *remote, struct perfpred_program *program,
                                              struct perfpred_error *error) {
  char *text = NULL;
  if (!program || knows_program(remote, program)) /* NULL: a program that calls itself */
    return PERFPRED_OK;
  enum perfpred_status status = ppi_remote_introduce_calls(remote, program->body, error);
  if (status != PERFPRED_OK)
    return status;
  void **grown = grow((void **)remote->programs, remote->program_count, &remote->program_space);
  if (!grown)
    return ppi_error_memory(error);
  remote->programs = (struct perfpred_program **)grown;
  status = perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, error);
  if (status == PERFPRED_OK)
    status = send_text(remote, true, program->name, text, error);
  if (status == PERFPRED_OK)
    remote->programs[remote->program_count++] = perfpred_program_ref(program);
  perfpred_free(text);
  return status;
}

/* As deep as the blocks of the text are nested and its programs call each other, both of which the parser limits. */
enum perfpred_status ppi_remote_introduce_calls(struct ppi_remote *remote, const struct ppi_node *body,
                                                struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (const struct ppi_node *node = body; node && status == PERFPRED_OK; node = node->next) {
    if (node->kind == PPI_NODE_CALL)
      status = ppi_remote_introduce(remote, node->kernel, error);
    else if (node->kind == PPI_NODE_RUN)
      status = introduce_program(remote, node->callee, error);
    else if (node->kind == PPI_NODE_FOR || node->kind == PPI_NODE_IF)
      status = ppi_remote_introduce_calls(remote, node->body, error);
    if (node->kind == PPI_NODE_IF && status == PERFPRED_OK)
      status = ppi_remote_introduce_calls(remote, node->otherwise, error);
  }
  return status;
}

void ppi_remote_forget(struct ppi_remote *remote) {
  while (remote->program_count > 0)
    perfpred_program_unref(remote->programs[--remote->program_count]);
  while (remote->kernel_count > 0)
    ppi_kernel_unref(remote->kernels[--remote->kernel_count]);
}
