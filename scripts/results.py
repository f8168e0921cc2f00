# SPDX-License-Identifier: BSD-3-Clause
"""Counts single test cases.

results.py collect FILE LABEL TESTLOG    adds the cases of a testlog.json of meson to FILE
results.py add FILE LABEL STATE NAME [REASON]
results.py finish FILE                   prints failures and skips, then "N passed, N failed, N skipped"; 1 on failures
"""

import json
import re
import sys

CASE = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:-\s*)?(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)")
SKIP = re.compile(r"\s*#\s*SKIP\b\s*(.*)$", re.I)
ENDED_WELL = ("OK", "SKIP", "EXPECTEDFAIL")


def cases_of(text):
    """The cases of a TAP text as (state, name, detail), and how many were announced."""
    cases, planned, comments = [], None, []
    for line in text.splitlines():
        plan, case = PLAN.match(line), CASE.match(line)
        if plan:
            planned = int(plan.group(1))
        elif case:
            name, skip = case.group(3), SKIP.search(case.group(3))
            if skip:
                cases.append(["skipped", SKIP.sub("", name), skip.group(1)])
            else:
                cases.append(["failed" if case.group(1) else "passed", name, "\n".join(comments)])
            comments = []
        elif line.strip().startswith("#"):
            if cases and cases[-1][0] == "failed":
                cases[-1][2] += "\n" + line
            else:
                comments.append(line)
    return cases, planned


def collect_test(entry):
    """One test program of meson's log."""
    name, ended_well = entry["name"], entry["result"] in ENDED_WELL
    cases, planned = cases_of(entry.get("stdout") or "")
    result = [(state, f"{name}: {case}", detail) for state, case, detail in cases]
    if not cases:
        state = "skipped" if entry["result"] == "SKIP" else "passed" if ended_well else "failed"
        return [(state, name, output_of(entry))]
    if planned is not None and planned > len(cases):
        missing = f"{planned - len(cases)} of {planned} cases did not run"
        result += [("failed", f"{name}: {missing}", output_of(entry))] * (planned - len(cases))
    elif not ended_well and all(state != "failed" for state, _, _ in cases):
        result.append(("failed", f"{name}: ended with {entry['result']}", output_of(entry)))
    return result


def output_of(entry):
    text = (entry.get("stdout") or "") + (entry.get("stderr") or "")
    return "\n".join(text.splitlines()[-25:])


def write(path, label, results):
    with open(path, "a", encoding="utf-8") as file:
        for state, name, detail in results:
            file.write(json.dumps([state, f"{label}: {name}", detail]) + "\n")


def collect(path, label, log):
    with open(log, encoding="utf-8") as file:
        for line in file:
            write(path, label, collect_test(json.loads(line)))


def finish(path):
    with open(path, encoding="utf-8") as file:
        results = [json.loads(line) for line in file]
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for state, name, detail in results:
        count[state] += 1
        if state == "failed":
            print(f"FAILED {name}")
            for line in detail.splitlines()[:40]:
                print(f"    {line}")
        elif state == "skipped":
            print(f"skipped {name}: {detail or 'no reason given'}")
    if count["passed"] + count["failed"] == 0:
        print("FAILED nothing was tested")
        count["failed"] += 1
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**count))
    return 1 if count["failed"] else 0


def main(action, path, *rest):
    if action == "collect":
        collect(path, *rest)
    elif action == "add":
        label, state, name, *detail = rest
        write(path, label, [(state, name, " ".join(detail))])
    else:
        sys.exit(finish(path))


main(*sys.argv[1:])
