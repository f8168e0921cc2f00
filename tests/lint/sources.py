# SPDX-License-Identifier: BSD-3-Clause
"""The files of the project: what git tracks, or what lies in the folders where there is no git (a release)."""

import os
import subprocess

SKIPPED = {".git", "subprojects", "__pycache__"}


def walk(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in SKIPPED and not f.startswith("build")]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root)


def tracked(root):
    # a tree that belongs to somebody else (a read-only mount) is still ours to read
    command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    if answer.returncode != 0 or not os.path.exists(os.path.join(root, ".git")):
        return None
    return [name for name in answer.stdout.splitlines() if os.path.isfile(os.path.join(root, name))]


def listed(root, suffixes=None):
    names = tracked(root)
    if names is None:
        names = list(walk(root))
    return sorted(name for name in names if suffixes is None or name.endswith(tuple(suffixes)))


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()
