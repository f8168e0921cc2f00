/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that does nothing, with the library and without it: started by bench-load. */
#ifdef WITH_LIBRARY
#include <perfpred/common.h>

int main(void) {
  return perfpred_version()[0] == '\0';
}
#else
int main(void) {
  return 0;
}
#endif
