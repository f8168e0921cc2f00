# SPDX-License-Identifier: BSD-3-Clause
"""Makes FOLDER with the locale NAME.UTF-8 in it; an empty folder where the sources of locales are not installed."""

import os
import shutil
import subprocess
import sys

localedef, folder, name = sys.argv[1:4]
if os.path.exists(os.path.join(folder, name + ".UTF-8", "LC_NUMERIC")):
    sys.exit(0)
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
# warnings make localedef exit with 1: what counts is whether the locale is there
subprocess.run(
    [localedef, "--no-archive", "-i", name, "-f", "UTF-8", os.path.join(folder, name + ".UTF-8")],
    stderr=subprocess.DEVNULL,
    check=False,
)
