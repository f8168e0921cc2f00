# SPDX-License-Identifier: BSD-3-Clause
"""Test Anything Protocol: one line per test case, so that single cases are counted."""

import sys


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def case(self, name, complaints):
        """One case; it passes if there are no complaints."""
        self.count += 1
        complaints = list(complaints)
        print(f"{'not ok' if complaints else 'ok'} {self.count} - {name}")
        for complaint in complaints:
            for line in str(complaint).splitlines():
                print(f"# {line}")
        self.failed += bool(complaints)
        sys.stdout.flush()

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}")

    def finish(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
