# SPDX-License-Identifier: BSD-3-Clause
"""What people do with the library: install it below a staged prefix, link with it by pkg-config, shared and static, from C
and C++; have it as a subproject of their meson build; work in `meson devenv`.

downstream.py ROOT BUILD"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(sys.argv[1], "tests", "lint"))
from tap import Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# what a program may need besides the C library's own
SYSTEM = re.compile(r"libc\.so\.6|libm\.so\.6|ld-linux.*|libstdc\+\+\.so\.6|libgcc_s\.so\.1")

STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]


class Failure(Exception):
    pass


def run(*command, cwd=None, **more):
    env = {**os.environ, **more}
    answer = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise Failure("\n".join([" ".join(command), answer.stdout[-3000:], answer.stderr[-3000:]]))
    return answer.stdout


def attempt(tap, name, function, *arguments):
    """One case: the function's complaints, or the command that failed in it."""
    try:
        tap.case(name, list(function(*arguments) or []))
    except (Failure, OSError) as failure:
        tap.case(name, [failure])


OPTIONS = {"default_library": "both", "prefix": "/opt/perfpred", "libdir": "lib"}


def has_options(build):
    """Whether a build folder is one as the tests want it."""
    options = json.loads(run("meson", "introspect", "--buildoptions", build))
    values = {option["name"]: option["value"] for option in options}
    return all(values[name] == value for name, value in OPTIONS.items())


class Stage:
    """A build with both kinds of library, installed below a folder: the one under test where it is such a build, or its own."""

    def __init__(self, root, build, folder):
        self.root, self.build, self.folder = root, build, folder
        self.prefix = os.path.join(folder, "stage", "opt", "perfpred")

    def install(self):
        build = self.build
        if not has_options(build):
            build = os.path.join(self.folder, "build")
            options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
            run("meson", "setup", "-Dtests=false", "-Dexamples=false", *options, build, self.root)
            run("ninja", "-C", build)
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", os.path.join(self.folder, "stage"))

    def pkg_config(self, *arguments):
        path = os.path.join(self.prefix, "lib", "pkgconfig")
        # the system's own packages lie outside the stage, so that no sysroot is set but the prefix
        more = {"PKG_CONFIG_PATH": path}
        return run("pkg-config", f"--define-variable=prefix={self.prefix}", *arguments, **more).split()

    def check_files(self):
        wanted = ["lib/libperfpred.so", "lib/libperfpred.so.0", "lib/libperfpred.a", "lib/pkgconfig/perfpred.pc"]
        wanted += ["include/perfpred/perfpred.h", "bin/perfpred", "libexec/perfpred/perfpred-worker"]
        wanted += ["lib/libperfpred-ilaenv.so.0"]
        for name in wanted:
            if not os.path.exists(os.path.join(self.prefix, name)):
                yield f"{name} is not installed"
        for path in glob.glob(os.path.join(self.prefix, "**", "*.h"), recursive=True):
            if os.path.basename(os.path.dirname(path)) != "perfpred":
                yield f"{path}: no public header"

    def check_flags(self):
        shared, static = self.pkg_config("--libs", "perfpred"), self.pkg_config("--static", "--libs", "perfpred")
        if [flag for flag in shared if not flag.startswith("-L")] != ["-lperfpred"]:
            yield f"a shared link shows {shared}"
        for library in ("-ljansson", "-lm"):
            if library not in static:
                yield f"a static link lacks {library}: {static}"

    def compile(self, compiler, standard, *flags):
        program = os.path.join(self.folder, "use")
        source = os.path.join(HERE, "use.c")
        language = "c++" if standard.startswith("c++") else "c"
        cflags = self.pkg_config("--cflags", "perfpred")
        run(compiler, f"-std={standard}", *STRICT, *cflags, "-x", language, source, "-x", "none", "-o", program, *flags)
        return program

    def check_program(self, program, needed, may=()):
        output = run(program, LD_LIBRARY_PATH=os.path.join(self.prefix, "lib"))
        if not output.endswith(" 333833500\n"):
            yield f"it prints {output}"
        found = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", program))
        for name in found:
            if name not in needed and name not in may and not SYSTEM.fullmatch(name):
                yield f"it needs {name}"
        for name in needed:
            if name not in found:
                yield f"it does not need {name}"

    def check_shared(self, compiler, standard):
        libs = self.pkg_config("--libs", "perfpred")
        program = self.compile(compiler, standard, "-Wl,--as-needed", "-Wl,--no-copy-dt-needed-entries", *libs)
        return self.check_program(program, ["libperfpred.so.0"])

    def check_static(self):
        libs = self.pkg_config("--static", "--libs", "perfpred")
        libs = ["-l:libperfpred.a" if flag == "-lperfpred" else flag for flag in libs]
        return self.check_program(self.compile("cc", "c11", *libs), [], ["libjansson.so.4"])

    def check_strict(self, standard):
        """The umbrella header under the warnings of strict users, by both compilers."""
        names = {"c99": ("gcc", "clang"), "c++11": ("g++", "clang++")}[standard]
        cflags = self.pkg_config("--cflags", "perfpred")
        language = "c++" if standard.startswith("c++") else "c"
        for compiler in filter(shutil.which, names):
            run(compiler, f"-std={standard}", *STRICT, *cflags, "-fsyntax-only", "-x", language,
                os.path.join(HERE, "use.c"))

    def check_examples(self):
        cflags = self.pkg_config("--cflags", "perfpred")
        for name in sorted(glob.glob(os.path.join(self.root, "examples", "*.c"))):
            for compiler in filter(shutil.which, ("gcc", "clang")):
                run(compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *cflags, "-fsyntax-only", name)

    def check_command(self):
        command = os.path.join(self.prefix, "bin", "perfpred")
        text = run(command, "algorithms", "--json", LD_LIBRARY_PATH=os.path.join(self.prefix, "lib"))
        return [] if "chol-l-3" in text else [text]

    def check_run(self):
        """A staged prefix is not where the command looks: it says which file is missing, and takes the one that is named."""
        command, lib = os.path.join(self.prefix, "bin", "perfpred"), os.path.join(self.prefix, "lib")
        words = [command, "run", "--keep-libraries", "--", "env"]
        environ = {name: value for name, value in os.environ.items() if not name.startswith("PERFPRED_")}
        environ.update(LD_LIBRARY_PATH=lib, PERFPRED_TABLE="")
        done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
        if done.returncode == 0 or "/opt/perfpred/lib/libperfpred-ilaenv.so.0" not in done.stderr:
            yield f"without the override: {done.returncode}, {done.stderr}"
        override = os.path.join(lib, "libperfpred-ilaenv.so.0")
        text = run(*words, LD_LIBRARY_PATH=lib, PERFPRED_TABLE="", PERFPRED_OVERRIDE=override)
        if f"LD_PRELOAD={os.path.realpath(override)}\n" not in text:
            yield text


# Everything that users get is compiled by clang as well, here and nowhere else where the tests have no time for more.
OTHER = {"CC": "clang"} if shutil.which("clang") else {}
OTHER_NAME = "clang" if OTHER else "the same compiler"


def check_subproject(root, folder):
    project = os.path.join(folder, "project")
    os.makedirs(os.path.join(project, "subprojects"))
    os.symlink(root, os.path.join(project, "subprojects", "libperfpred"))
    shutil.copy(os.path.join(HERE, "use.c"), project)
    shutil.copy(os.path.join(HERE, "subproject.meson"), os.path.join(project, "meson.build"))
    build = os.path.join(folder, "subproject-build")
    options = ["--wrap-mode=nodownload", "--buildtype=plain", "-Dlibperfpred:werror=true"]
    run("meson", "setup", *options, build, project, **OTHER)
    run("ninja", "-C", build)
    run("meson", "test", "-C", build, "--no-rebuild", "--suite", "downstream")
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as file:
        if "criterion" in file.read():
            yield "a subproject asks for Criterion"


def check_devenv(build):
    values = run("meson", "devenv", "-C", build, "env").splitlines()
    worker = [v.partition("=")[2] for v in values if v.startswith("PERFPRED_WORKER=")]
    if not worker or not os.access(worker[0], os.X_OK):
        yield f"PERFPRED_WORKER is {worker}"
    override = [v.partition("=")[2] for v in values if v.startswith("PERFPRED_OVERRIDE=")]
    if not override or not os.access(override[0], os.R_OK):
        yield f"PERFPRED_OVERRIDE is {override}"
    if run("meson", "devenv", "-C", build, "pkg-config", "--modversion", "perfpred").strip() != "0.1.0":
        yield "pkg-config does not find perfpred"


def main(root, build):
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="perfpred-downstream-") as folder:
        stage = Stage(root, build, folder)
        attempt(tap, "installs below a staged prefix", stage.install)
        attempt(tap, "installed files", stage.check_files)
        attempt(tap, "a shared link shows no private libraries", stage.check_flags)
        attempt(tap, "C11, shared, --as-needed", stage.check_shared, "cc", "c11")
        attempt(tap, "C++11, shared", stage.check_shared, "c++", "c++11")
        attempt(tap, "C11, static", stage.check_static)
        attempt(tap, "C99 under strict warnings", stage.check_strict, "c99")
        attempt(tap, "C++11 under strict warnings", stage.check_strict, "c++11")
        attempt(tap, "examples against the installed headers", stage.check_examples)
        attempt(tap, "the installed command", stage.check_command)
        attempt(tap, "the installed command runs programs under the override", stage.check_run)
        attempt(tap, f"subproject of a meson build, by {OTHER_NAME}, without a warning", check_subproject, root, folder)
        attempt(tap, "meson devenv", check_devenv, build)
    tap.finish()


main(*sys.argv[1:3])
