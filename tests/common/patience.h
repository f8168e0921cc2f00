/* SPDX-License-Identifier: BSD-3-Clause */
/* Longest time of a call that does not hang, for tests of those that do: a checker slows the whole worker down, and so does whatever else the
   machine does. Tests without a call that hangs wait for PATIENT_S, which none reaches. */
#ifndef TESTS_PATIENCE_H
#define TESTS_PATIENCE_H

#if defined __SANITIZE_ADDRESS__
#define CALL_S 10
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define CALL_S 10
#endif
#endif
#ifndef CALL_S
#define CALL_S 2
#endif
#define PATIENT_S 60

#endif
