# SPDX-License-Identifier: BSD-3-Clause
"""perfpred contract: families, names and C beside an independent enumeration; predictions of a made-up machine."""

import json
import math
import os
import pty
import shutil
import signal
import subprocess
import threading
import time

import contractions
from contractions import Contraction
from harness import COMMAND, MEDIAN, ROOT, close, folder, main, refuses, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

with open(os.path.join(ROOT, "doc", "contract.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)

FIRST = "contract", "ai,ibc->abc", "a=b=c=400", "i=8"
SECOND = "contract", "iaj,ji->a", "a=12", "i=10", "j=9"
THIRD = "contract", "ija,jbic->abc", "i=j=8", "a=b=c=100"
NO_WORKER = None if "PERFPRED_WORKER" in os.environ else "built without the worker"


def report(*words):
    answer = run(*words, "--json").json()
    if jsonschema and len(answer.get("algorithms", [])) < 300:
        jsonschema.Draft7Validator(SCHEMA).validate(answer)
    return answer


def path(name):
    return os.path.join(folder(), name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


# --- Families -----------------------------------------------------------------------------------------------------------------


def test_published_counts():
    """families of the dissertation, and the larger ones that were counted"""
    order = ("dot", "axpy", "gemv", "ger", "gemm", "total")
    for words, numbers in (
        (FIRST, (6, 18, 6, 4, 2, 36)),
        (SECOND, (4, 2, 2, 0, 0, 8)),
        (THIRD, (48, 72, 36, 12, 8, 176)),
        (("contract", "ac,cb->ab", "a=b=c=5"), (2, 4, 2, 1, 1, 10)),
    ):
        answer = report(*words, "--list")
        assert tuple(answer["count"][key] for key in order) == numbers, answer["count"]
        assert len(answer["algorithms"]) == numbers[-1] == answer["listed"] == answer["candidates"]
    for einsum, extents, total in (("aebf,dfce->abcd", "a=b=c=d=e=f=72", 1056), ("gfbc,dega->abcdef", "a=b=c=d=e=f=g=16", 7056)):
        answer = report("contract", einsum, extents, "--list", "--max", "3")
        assert answer["count"]["total"] == total and len(answer["algorithms"]) == 3
        assert not any(one["whole"] for one in answer["algorithms"])
    answer = report(*THIRD, "--list", "--transpose")
    assert answer["candidates"] == 176 + 1 and answer["count"]["total"] == 176
    first = answer["algorithms"][0]
    assert first["name"] == "B*-dgemm" and first["whole"] and first["calls"] == first["copies"] == 1
    assert first["work_bytes"] == 8 * 8 * 8 * 100 * 100 and first["copied_elements"] == 8 * 8 * 100 * 100
    assert "1 that transposes whole tensors" in run(*THIRD, "--list").out
    text = run(*FIRST, "--list").out
    assert "36 algorithms: 2 gemm, 6 gemv, 4 ger, 18 axpy, 6 dot" in text and "c-dgemm" in text, text


def test_whole_tensors():
    """algorithms that transpose whole tensors: programs, C, and what is not known of them"""
    words = "contract", "mhkn,ukvh->munv", "h=8", "k=7", "m=10", "n=12", "u=9", "v=6"
    text = run(*words, "--program", "ABC*-dgemm").out
    assert "algorithm ABC__-dgemm(" in text and text.count("dcopy(") == 3 and text.count("dgemm(N, ") == 1, text
    assert run(*words, "--program", "ABC__-dgemm").out == text
    text = run(*words, "--emit", "c", "ABC*-dgemm").out
    assert "by the algorithm ABC*-dgemm" in text and text.count("cblas_dgemm(") == 1, text
    # A has 6720 elements, B 3024, C 6480: whole lines of eight, and one more
    assert "return 129856;" in text and "PB = PA + 6720;" in text and "PC = PB + 3024;" in text and text.count("malloc(") == 1, text
    assert text.count("memcpy(") == 3 and "memcpy(&PA[10 * n + 120 * h], &A[560 * n + 10 * h], 10 * sizeof *C);" in text, text
    text = run("contract", "bgk,bkd->bgd", "b=33", "g=3", "k=32", "d=2", "--emit", "c", "ABC*-dgemm").out
    # d goes on where k ends, in B and in PB: one loop has the name of the first
    tiles = ("  for (int64_t b0 = 0; b0 < 33; b0 += 16)\n"
             "    for (int64_t k0 = 0; k0 < 64; k0 += 16)\n"
             "      for (int64_t b = b0, b1 = b0 + 16 < 33 ? b0 + 16 : 33; b < b1; b++)\n"
             "        for (int64_t k = k0; k < k0 + 16; k++)\n"
             "          PB[k + 64 * b] = B[33 * k + b];\n")  # fmt: skip
    assert tiles in text and "memcpy" not in text and "string.h" not in text, text
    refuses(1, *words, "--analyze", "ABC*-dgemm", naming=["ABC*-dgemm", "whole tensors"])
    refuses(1, *words, "--emit", "c", "*-dgemm", naming=["ABC*-dgemm"])
    refuses(1, "contract", "q,q->q", "q=4", "--program", "*-dgemm", naming=["*-dgemm"])
    refuses(2, *words, "--transpose", "--no-transpose", naming=["--transpose"])


def test_counts_of_all_cases():
    """every contraction of the file: the closed form, and flops"""
    answer = report("contract", "--cases", contractions.CASES, "--list")
    found = {case["name"]: case for case in answer["cases"]}
    cases = list(contractions.cases())
    assert len(found) == len(cases) == 88
    for name, einsum, extents in cases:
        contraction = Contraction(einsum)
        assert found[name]["count"] == contraction.counts(), name
        close(found[name]["flops"], contraction.flops(extents))
        assert found[name]["extents"] == extents
    lines = run("contract", "--cases", contractions.CASES, "--list").out.splitlines()
    assert len(lines) == 89 and lines[1].split()[0] == "thesis-aiibc-i8"


def test_cases_beyond_64_bits():
    """a case with 2^64 algorithms or more does not keep the others from being counted"""
    letters = "abcdefghijklmnopqrstuvwx"
    file = write("huge.csv", 'name,einsum,dims\nhuge,"abcdefghijklmnop,abcdefqrstuvwxpo->ghijklmnqrstuvwx",'
                 + ";".join(f"{letter}=2" for letter in letters) + '\nsmall,"ab,bc->ac",a=2;b=2;c=2\n')
    huge, small = report("contract", "--cases", file, "--list")["cases"]
    assert huge["count"]["total"] is None
    assert small["count"]["total"] == 10
    lines = run("contract", "--cases", file, "--list").out.splitlines()
    assert any("2^64" in line for line in lines), lines


def test_names():
    """names and copies of whole families"""
    for einsum in ("ai,ibc->abc", "iaj,ji->a", "ija,jbic->abc", "ac,cb->ab", "qij,qjk->qik", "cad,dcb->ab", "a,b->ba", "i,i->"):
        contraction = Contraction(einsum)
        extents = [f"{index}={3 + place}" for place, index in enumerate(contraction.indices)]
        listed = report("contract", einsum, *extents, "--list")["algorithms"]
        assert {one["name"]: one["copies"] for one in listed} == contraction.algorithms(), einsum
        assert len(listed) == len({one["name"] for one in listed})
        for kind in ("s", "c", "z"):
            typed = report("contract", einsum, *extents, "--list", "--type", kind)["algorithms"]
            assert all(one["routine"][0] == kind and one["name"].endswith(one["routine"]) for one in typed)
            assert [one["kernel"] for one in typed] == [one["kernel"] for one in listed]


def test_copies_by_hand():
    """the eight gemm of contraction 3 copy once, 8 or 800 times"""
    answer = report(*THIRD, "--list", "--kernel", "gemm")
    made = {one["name"]: one["copies_made"] for one in answer["algorithms"]}
    assert made == {"i'c-dgemm": 8, "i'b-dgemm": 8, "ci'-dgemm": 800, "bi'-dgemm": 800, "jc'-dgemm": 800, "cj'-dgemm": 800,
                    "jb'-dgemm": 800, "bj'-dgemm": 800}  # fmt: skip
    sized = {one["name"]: (one["calls"], one["copied_elements"], one["work_bytes"]) for one in answer["algorithms"]}
    assert sized["i'c-dgemm"] == (800, 8 * 800, 8 * 800)  # A[i,:,:] is 8 x 100
    assert sized["cj'-dgemm"] == (800, 800 * 800, 8 * 800)  # B[j,:,:,c] is 100 x 8


def test_filters():
    """--kernel, --copies, --no-copies and --max choose; counts stay those of the family"""
    whole = report(*THIRD, "--list")
    names = [one["name"] for one in whole["algorithms"]]
    copying = [one["name"] for one in report(*THIRD, "--list", "--copies")["algorithms"]]
    plain = report(*THIRD, "--list", "--no-copies")
    assert [name for name in names if "'" in name] == copying and len(copying) == 26
    assert [name for name in names if "'" not in name] == [one["name"] for one in plain["algorithms"]]
    assert plain["count"] == whole["count"] and plain["candidates"] == 150
    assert [one["name"] for one in report(*THIRD, "--list", "--kernel", "ger,gemm", "--max", "9")["algorithms"]] == (
        [name for name in names if "gemm" in name or "ger" in name][:9]
    )
    assert report(*THIRD, "--list", "--kernel", "dger")["candidates"] == 12


def test_lazily():
    """the largest family of the file is not listed to be counted"""
    answer = report("contract", "ucebad,mu->acmbed", "a=8", "b=10", "c=9", "d=10", "e=10", "m=8", "u=8", "--list", "--max", "2")
    assert answer["count"] == Contraction("ucebad,mu->acmbed").counts() and len(answer["algorithms"]) == 2
    long = "abcdefghijklmnop,abcdefghqrstuvwx->ijklmnopqrstuvwx"  # 24 indices: 23! orders alone
    huge = report("contract", long, "=".join("abcdefghijklmnopqrstuvwx") + "=2", "--list", "--max", "1")
    assert huge["count"]["total"] is None and len(huge["algorithms"]) == 1


def test_renaming():
    """letters, blanks and the order of the operands change names alone"""
    plain = report(*FIRST, "--list")["algorithms"]
    spaced = report("contract", "a i, i b c -> a b c", "a=b=c=400", "i=8", "--list")["algorithms"]
    assert plain == spaced
    renamed = report("contract", "xY,Yqr->xqr", "x=q=r=400", "Y=8", "--list")["algorithms"]
    back = str.maketrans("xYqr", "aibc")
    translated = [one["name"].split("-")[0].translate(back) + "-" + one["name"].split("-")[1] for one in renamed]
    assert translated == [one["name"] for one in plain]
    swapped = report("contract", "ibc,ai->abc", "a=b=c=400", "i=8", "--list")
    assert {one["name"] for one in swapped["algorithms"]} == {one["name"] for one in plain}


def test_edges():
    """extents of 1 and 0, batch indices, fusion, strides"""
    one = report("contract", "ai,ibc->abc", "a=b=c=1", "i=1", "--list")
    assert one["flops"] == 2 and one["count"]["total"] == 36
    none = report("contract", "ai,ibc->abc", "a=b=c=4", "i=0", "--list")
    assert none["flops"] == 0
    batch = report("contract", "qij,qjk->qik", "q=2", "i=3", "j=4", "k=5", "--list", "--kernel", "gemm")
    assert batch["flops"] == 2 * 2 * 3 * 4 * 5 and [one["name"] for one in batch["algorithms"]] == ["q'''-dgemm"]
    complex_ = report("contract", "ac,cb->ab", "a=3", "b=4", "c=5", "--list", "--type", "z")
    assert complex_["flops"] == 8 * 3 * 4 * 5
    fused = report(*FIRST, "--list", "--fuse")
    assert fused["count"]["gemm"] == 1 and fused["count"]["total"] == 10 and fused["flops"] == 2 * 400**3 * 8
    # a tensor whose first dimension has a stride lies nowhere as a matrix
    strided = report("contract", "ac,cb->ab", "a=3", "b=4", "c=5", "--list", "--kernel", "gemm", "--strides", "A=2,6")
    assert strided["algorithms"][0]["copies"] == 1


# --- C and programs -----------------------------------------------------------------------------------------------------------

# Each is called with memory of its own, with memory that is given (dirty, at any address, guarded), and where there is none.
DRIVER = """#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define COUNT(array) (sizeof array / sizeof array[0])
#define GUARD 256
static int empty, allocated;
static void *allocate(size_t bytes) {
  allocated += !empty;
  return empty ? NULL : malloc(bytes);
}
static void release(void *memory) {
  allocated -= memory != NULL;
  free(memory);
}
#define malloc allocate
#define free release
%(sources)s
#undef malloc
#undef free
typedef %(type)s element;
static const element want[] = { %(want)s };
static const struct {
  const char *name;
  int (*run)(const element *, const element *, element *, void *);
  size_t (*workspace)(void);
  size_t elements;
} all[] = { %(table)s };
static const element A[] = { %(a)s }, B[] = { %(b)s };
static element C[COUNT(want)];
static int is_wrong(unsigned k, void *work) {
  for (unsigned i = 0; i < COUNT(want); i++) C[i] = 1e9;
  int bad = all[k].run(A, B, C, work) != 0;
  for (unsigned i = 0; i < COUNT(want); i++) bad |= C[i] != want[i];
  return bad || allocated != 0;
}
static int is_wrong_in(unsigned k, size_t offset) {
  const size_t bytes = all[k].workspace();
  unsigned char *memory = malloc(bytes + 2 * GUARD + offset);
  int bad = memory == NULL;
  memset(memory, 0xff, bytes + 2 * GUARD + offset);
  bad |= is_wrong(k, memory + GUARD + offset);
  for (size_t i = 0; i < GUARD; i++) bad |= memory[i] != 0xff || memory[GUARD + offset + bytes + i] != 0xff;
  free(memory);
  return bad;
}
static int is_wrong_without(unsigned k) {
  const int needed = all[k].workspace() > 0;
  empty = 1;
  C[0] = 7;
  int bad = all[k].run(A, B, C, NULL) != needed || (needed && C[0] != 7);
  bad |= is_wrong_in(k, 0);
  empty = 0;
  return bad;
}
int main(void) {
  unsigned wrong = 0;
  for (unsigned k = 0; k < COUNT(all); k++) {
    const size_t bytes = all[k].workspace(), least = all[k].elements * sizeof(element);
    int bad = (bytes > 0) != (least > 0) || bytes < least || bytes > least + 256;
    bad |= is_wrong(k, NULL) || is_wrong_without(k);
    for (size_t offset = 0; offset <= 64; offset += sizeof(element)) bad |= is_wrong_in(k, offset);
    if (bad) printf("%%s\\n", all[k].name);
    wrong += bad;
  }
  printf("%%u of %%u\\n", (unsigned)COUNT(all) - wrong, (unsigned)COUNT(all));
  return 0;
}
"""
TYPES = {"s": ("float", 4), "d": ("double", 8), "c": ("float _Complex", 8), "z": ("double _Complex", 16)}


def numerals(values):
    """As C has them; complex ones are sums."""
    return ", ".join(f"{value.real!r} + {value.imag!r} * _Complex_I" if isinstance(value, complex) else repr(value) for value in values)


def contract_by_c(einsum, extents, names, letter="d", flags=()):
    """Emits these algorithms, compiles them with a small CBLAS, runs them. Integers: results are exact."""
    contraction = Contraction(einsum)
    words = ["contract", einsum, *(f"{index}={value}" for index, value in extents.items()), "--type", letter]
    listed = {one["name"]: one for one in report(*words, "--list", "--transpose")["algorithms"]}
    place = path(f"c-{len(os.listdir(folder()))}")
    os.makedirs(place)
    shutil.copy(os.path.join(ROOT, "tests", "command", "small_cblas.h"), os.path.join(place, "cblas.h"))
    for number, name in enumerate(names):
        done = run(*words, "--emit", "c", name, "--name", f"f{number}", "-o", os.path.join(place, f"f{number}.c"))
        assert done.code == 0, done.err
    sizes = [math.prod(extents[index] for index in tensor) for tensor in (contraction.a, contraction.b)]
    a, b = [i % 7 - 3 for i in range(sizes[0])], [i % 5 - 2 for i in range(sizes[1])]
    if letter in "cz":
        a, b = [value + (i % 3 - 1) * 1j for i, value in enumerate(a)], [value + i % 2 * 1j for i, value in enumerate(b)]
    ctype, size = TYPES[letter]
    with open(os.path.join(place, "main.c"), "w", encoding="utf-8") as file:
        file.write(DRIVER % {
            "sources": "".join(f'#include "f{i}.c"\n' for i in range(len(names))), "type": ctype, "a": numerals(a), "b": numerals(b),
            "table": ", ".join(f'{{ "{name}", f{i}, f{i}_workspace, {listed[name]["work_bytes"] // size} }}' for i, name in enumerate(names)),
            "want": numerals(contractions.reference(einsum, extents, a, b))})  # fmt: skip
    program = os.path.join(place, "program")
    strict = "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", *flags
    subprocess.run([shutil.which("cc"), *strict, "-I", place, "-o", program, os.path.join(place, "main.c")], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == f"{len(names)} of {len(names)}\n", done.stdout


def test_c():
    """emitted C is compiled and run: a whole family, all copies of another, a batch index"""
    if shutil.which("cc") is None:
        return "no C compiler"
    contract_by_c("iaj,ji->a", {"i": 4, "a": 5, "j": 3}, list(Contraction("iaj,ji->a").algorithms()))
    third = [name for name, copies in Contraction("ija,jbic->abc").algorithms().items() if copies and "gemv" not in name]
    contract_by_c("ija,jbic->abc", {"i": 3, "j": 4, "a": 5, "b": 2, "c": 6}, third + ["jci-dger", "ijcb-daxpy"])
    contract_by_c("qij,qjk->qik", {"q": 3, "i": 2, "j": 4, "k": 5}, ["q'''-dgemm", "kq'-dgemv", "ABC*-dgemm"])
    contract_by_c("mhkn,ukvh->munv", {"m": 3, "h": 2, "k": 18, "n": 4, "u": 5, "v": 2}, ["ABC*-dgemm"])
    return None


def test_c_of_all_types():
    """packed memory in each type: slices, whole tensors by lines and by tiles, tiles that end early, an extent of 1"""
    if shutil.which("cc") is None:
        return "no C compiler"
    for letter in "sdcz":
        contract_by_c("ija,jbic->abc", {"i": 3, "j": 4, "a": 5, "b": 2, "c": 6}, [f"i'c-{letter}gemm", f"B*-{letter}gemm"], letter)
        contract_by_c("mhkn,ukvh->munv", {"m": 3, "h": 2, "k": 18, "n": 4, "u": 5, "v": 2}, [f"ABC*-{letter}gemm"], letter, ["-O3"])
    for extents in ({"b": 33, "g": 3, "k": 32, "d": 2}, {"b": 32, "g": 2, "k": 16, "d": 17}, {"b": 17, "g": 1, "k": 5, "d": 40}):
        contract_by_c("bgk,bkd->bgd", extents, ["ABC*-dgemm" if extents["g"] > 1 else "B*-dgemm"])
    return None


def test_c_to_standard_output():
    """--emit c prints the function, --json has it as a member, apostrophes may be left out"""
    text = run(*THIRD, "--emit", "c", "ic-dgemm").out
    assert "i'c-dgemm" in text and "int contract(" in text and "cblas_dgemm(" in text
    answer = report(*THIRD, "--emit", "c", "i'c-dgemm", "--name", "abc")
    assert answer["name"] == "i'c-dgemm" and answer["function"] == "abc" and "int abc(" in answer["text"]
    target = path("emitted.c")
    answer = report(*THIRD, "--emit", "c", "ic-dgemm", "-o", target)
    with open(target, encoding="utf-8") as file:
        assert file.read() == text
    assert answer["file"] == target and "text" not in answer


def test_programs():
    """--program prints the text form, which other subcommands read"""
    text = run(*FIRST, "--program", "c-dgemm").out
    assert "algorithm c-dgemm(" in text and "dgemm(" in text
    assert report(*FIRST, "--program", "c-dgemm") == {"name": "c-dgemm", "text": text}
    answer = run("cache", "c-dgemm", "nc=3", "-f", write("program.txt", text), "--cache", "1M", "--json").json()
    assert [call["kernel"] for call in answer["calls"]] == ["dgemm"] * 3


# --- Analysis -----------------------------------------------------------------------------------------------------------------


def test_worked_example():
    """ca-dgemv of contraction 1: distances, set-ups, occurrences"""
    words = (*FIRST, "--analyze", "ca-dgemv", "--cache", "6M")
    answer = report(*words)
    kernel = answer["calls"][0]
    assert answer["limit_bytes"] == 7864320 and kernel["call"] == "kernel" and kernel["count"] == 160000
    rows = {one["area"]: one for one in kernel["operands"]}
    assert {area: (one["bytes"], one["line_bytes"], one["distance_bytes"]) for area, one in rows.items()} == {
        "A[a,:]": (64, 512, 1331200),
        "B[:,:,c]": (25600, 25600, 0),
        "C[a,:,c]": (3200, 25600, 522265600),
    }
    assert [area["area"] for area in rows["A[a,:]"]["since"]] == ["A", "B[:,:,c]", "C[:,:,c]"]
    counts = {one["kind"]: (one["count"], accesses(one)) for one in answer["occurrences"]}
    assert counts == {
        "normal": (140000, []),
        "fail": (19600, [("remote", 6533056), ("A", 64), ("remote", 1305600), ("B", 25600)]),
        "first": (400, [("remote", 6533056), ("A", 64), ("remote", 1331200)]),
    }
    text = run(*words).out
    assert "kernel, 160000 calls" in text and "[6533056], A(64), [1305600], B(25600)" in text, text
    whole = report(*words, "--untruncated", "--stage", "distances")
    assert accesses(whole["occurrences"][0]) == [("C", 3200), ("remote", 520934336), ("A", 64), ("remote", 1305600), ("B", 25600)]


def accesses(occurrence):
    return [(item["tensor"] or item["access"], item["bytes"]) for item in occurrence["setup"]]


# --- Predictions of a made-up machine -----------------------------------------------------------------------------------------

FORMS = """perfpred-text 1

algorithm forms(m, n, k)
  in X: double matrix[m, k]
  in Y: double matrix[k, n]
  out Z: double matrix[m, n]
  dgemm(N, N, m, n, k, 1, X[0, 0], Y[0, 0], 0, Z[0, 0])
end
"""


def product_models():
    target = path("forms.json")
    if not os.path.exists(target):
        env = {**os.environ, "TEXT": write("forms.txt", FORMS)}
        subprocess.run([os.environ["VIRTUAL_MODELS"], target, "forms"], check=True, timeout=120, env=env)
    return target


def product_s(m, n, k):
    """Median time of dgemm on the made-up machine."""
    return MEDIAN * (1e-6 + 2.0 * m * n * k / 50e9)


def test_models():
    """times from models alone: calls times the time of one"""
    words = "contract", "ai,ibc->abc", "a=300", "b=200", "c=100", "i=16", "-m", product_models(), "--mode", "models"
    whole = report("contract", "ai,ibc->abc", "a=300", "b=20", "c=10", "i=16", *words[6:])["algorithms"][0]
    assert whole["name"] == "*-dgemm" and whole["whole"] and whole["copies"] == 0
    close(whole["predicted_s"], product_s(300, 200, 16))
    words += ("--no-transpose",)
    answer = report(*words, "--kernel", "gemm")
    times = {one["name"]: one["predicted_s"] for one in answer["algorithms"]}
    close(times["c-dgemm"], 100 * product_s(300, 200, 16))
    close(times["b-dgemm"], 200 * product_s(300, 100, 16))
    assert [one["name"] for one in answer["algorithms"]] == ["c-dgemm", "b-dgemm"]
    assert answer["count"]["total"] == 36 and answer["planning_s"] >= 0
    assert all(one["kernel"] == "gemm" and one["copies"] == 0 for one in answer["algorithms"])
    text = run(*words, "--kernel", "gemm").out
    assert "pick     c-dgemm" in text and "36 algorithms" in text, text
    assert "hint     with --fuse it is ai,ib->ab" in text, text
    assert "hint" not in run("contract", "ac,cb->ab", "a=b=c=40", "--kernel", "gemm", *words[-5:]).out
    emitted = run(*words, "--kernel", "gemm", "--emit", "c")
    assert "by the algorithm c-dgemm" in emitted.out, emitted.err


def test_cases_with_models():
    """a file of cases: the pick of each, and what cannot be predicted"""
    file = write("cases.csv", 'source,name,dims,einsum\r\n"a, ""b""",one,a=300;b=200;c=100;i=16,"ai,ibc->abc"\n'
                 'x,two,a=40;b=50;c=60,"ac,cb->ab"\n\nx,three,a=4000;b=9;c=9,"ac,cb->ab"\n')  # fmt: skip
    words = "contract", "--cases", file, "-m", product_models(), "--mode", "models", "--kernel", "gemm"
    one, two, three = report(*words)["cases"]
    assert one["pick"] == "c-dgemm" and two["pick"] == "dgemm"
    close(one["predicted_s"], 100 * product_s(300, 200, 16))
    close(two["predicted_s"], product_s(40, 50, 60))
    assert three["name"] == "three" and "pick" not in three and three["error"]
    lines = run(*words).out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "one", "two", "three"], lines


def test_picture():
    """plot contract draws what is predicted"""
    keeping = path("keeping")
    os.makedirs(keeping, exist_ok=True)
    write("keeping/gnuplot", f"#!/bin/sh\ncat > '{path('told')}'\necho '<svg/>'\n")
    os.chmod(path("keeping/gnuplot"), 0o755)
    env = {**os.environ, "PATH": keeping + ":" + os.environ["PATH"]}
    words = ["plot", "contract", "ai,ibc->abc", "a=b=c=50:200:50", "i=16", "-m", product_models(), "--mode", "models", "--kernel", "gemm",
             "-o", path("contract.svg")]  # fmt: skip
    done = run(*words, env=env)
    assert done.code == 0 and done.err == "", done.err
    with open(path("told"), encoding="utf-8") as file:
        text = file.read()
    for block in ("$pick", "$curve0", "$curve1"):
        points = [line.split() for line in text.partition(f"{block} << EOD\n")[2].partition("EOD\n")[0].splitlines()]
        assert [int(point[0]) for point in points] == [50, 100, 150, 200]
        for point in points:
            n = int(point[0])
            close(float(point[1]), 1e-9 * 2 * n**3 * 16 / (n * product_s(n, n, 16)), 1e-5)
    assert "'a = b = c'" in text and "'ai,ibc->abc, i=16'" in text and "'c-dgemm predicted'" in text
    single = run(*words, "--curves", "1", env=env)
    assert single.code == 0
    with open(path("told"), encoding="utf-8") as file:
        assert "$curve1" not in file.read()


# --- Measured -----------------------------------------------------------------------------------------------------------------


def test_measured():
    """predictions beside executions: shape and sense, never times"""
    if NO_WORKER:
        return NO_WORKER
    words = "contract", "ai,ibc->abc", "a=b=c=16", "i=8", "--kernel", "gemm", "--gate", "off", "--reps", "2", "--complete"
    answer = report(*words, "--measure")
    assert {one["name"] for one in answer["algorithms"]} == {"c-dgemm", "b-dgemm", "*-dgemm"}
    assert all(one["measured_s"] > 0 and one["predicted_s"] > 0 for one in answer["algorithms"])
    assert answer["planning_s"] > 0
    text = run(*words, "--measure", "1").out
    assert "executed 1" in text and "pick" in text, text
    return None


def test_measured_some():
    """the best ones, and others at random: which ones follows from the seed"""
    if NO_WORKER:
        return NO_WORKER
    words = "contract", "iaj,ji->a", "a=i=j=6", "--gate", "off", "--reps", "2", "--complete", "--measure", "1", "--others", "2"
    answer = report(*words, "--seed", "7")
    executed = [one["name"] for one in answer["algorithms"] if "measured_s" in one]
    assert answer["pick"] in executed and len(executed) == answer["validation"]["executed"] == 3
    assert answer["predicted"] == answer["candidates"] == 8 + 1
    alone = report(*words, "--limit", "1e-9")
    assert alone["validation"]["executed"] == 1
    return None


def test_stages():
    """errors after each stage, beside one set of executions"""
    if NO_WORKER:
        return NO_WORKER
    words = "contract", "ac,cb->ab", "a=b=c=6", "--kernel", "gemm,ger", "--stages", "--gate", "off", "--reps", "2", "--budget", "0.02"
    answer = report(*words)
    assert [one["stage"] for one in answer["stages"] if one["mode"] == "remote"] == ["repeated", "distances", "prefetch", "failures", "first"]
    assert answer["executed"] == 2 and all(one["compared"] <= 2 for one in answer["stages"])
    assert "replay" in run(*words).out
    return None


# --- Interrupted --------------------------------------------------------------------------------------------------------------

LARGE = "bgk,bkd->bgd", "b=64", "g=8", "k=4096", "d=128"
EXECUTED = "ac,cb->ab", "a=b=c=40", "--kernel", "gemm", "--gate", "off", "--reps", "1000000", "--run-budget", "1000", "--measure"
LONG = "--complete", "--budget", "1000", "--gate", "off"


def of_session(leader):
    """The other processes of a session: their names by number."""
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/stat", encoding="utf-8") as file:
                head, _, rest = file.read().rpartition(") ")
        except OSError:  # it has just ended
            continue
        if int(rest.split()[3]) == leader and rest[0] != "Z" and int(number) != leader:
            found[int(number)] = head.partition("(")[2]
    return found


def disturbed(words, until, disturb):
    """Runs the command on a terminal, disturbs it once that text is drawn. Returns exit code, standard output, all of standard error."""
    terminal, slave = pty.openpty()
    with subprocess.Popen([COMMAND, "contract", *words], stdout=subprocess.PIPE, stderr=slave, start_new_session=True, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:  # fmt: skip
        os.close(slave)
        drawn = bytearray()
        watch = threading.Timer(120, process.kill)
        watch.start()
        try:
            sent = False
            while True:
                try:
                    part = os.read(terminal, 4096)
                except OSError:  # the other end is closed
                    break
                drawn += part
                if until.encode() in drawn and not sent:
                    disturb(process)
                    sent = True
            out = process.stdout.read()
        finally:
            watch.cancel()
            process.kill()
    os.close(terminal)
    assert sent, drawn
    waited = time.monotonic() + 30
    while of_session(process.pid) and time.monotonic() < waited:  # a worker sees the end of its pipe, and ends
        time.sleep(0.01)
    assert not of_session(process.pid), of_session(process.pid)
    return process.returncode, out, drawn.decode()


def interrupt(process):
    process.send_signal(signal.SIGINT)


def interrupt_all(process):
    os.killpg(process.pid, signal.SIGINT)


def is_interrupted(words, until, disturb=interrupt):
    code, out, err = disturbed(words, until, disturb)
    assert (code, out) == (1, "") and err.endswith("\rperfpred: interrupted\r\n"), (code, out, err[-300:])


def test_interrupted():
    """an interrupt ends planning and executions with one line; a file that was there stays, and no worker is left"""
    if NO_WORKER:
        return NO_WORKER
    target = path("interrupted.c")
    is_interrupted([*LARGE, *LONG], "predict ", interrupt_all)
    is_interrupted([*LARGE, *LONG, "--emit", "c", "-o", target], "predict ")
    assert not os.path.exists(target)
    write("interrupted.c", "before")
    is_interrupted([*LARGE, *LONG, "--emit", "c", "-o", target], "predict ")
    with open(target, encoding="utf-8") as file:
        assert file.read() == "before"
    assert [name for name in os.listdir(folder()) if name.startswith("interrupted.c")] == ["interrupted.c"]
    is_interrupted(EXECUTED, "measure ")
    return None


def two_cases():
    return write("two.csv", f'name,einsum,dims\none,"ac,cb->ab",a=9;b=9;c=9\nlarge,"{LARGE[0]}",{";".join(LARGE[1:])}\n')


def test_interrupted_cases():
    """an interrupt in the second of two cases: the answer of the first is in the file, and what was there before"""
    if NO_WORKER:
        return NO_WORKER
    name = path("kept.json")
    report("contract", "ac,cb->ab", "a=b=c=8", "--kernel", "gemm", "--gate", "off", "--answers", name)
    before = answers_in(name)["answers"]
    is_interrupted(["--cases", two_cases(), *LONG, "--answers", name], "large ")
    after = answers_in(name)["answers"]
    assert len(before) == 1 and len(after) == 2 and before[0] in after, (before, after)
    return None


def test_interrupted_between():
    """an interrupt that comes while a case is answered that measures nothing ends the others, too"""
    lines = [f'x{i},"ac,cb->ab",a={8 + i % 1000};b={8 + i // 1000};c=40' for i in range(60000)]
    file = write("many.csv", "name,einsum,dims\n" + "\n".join(lines) + "\n")
    words = [COMMAND, "contract", "--cases", file, "-m", product_models(), "--mode", "models", "--kernel", "gemm"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:  # fmt: skip
        while process.poll() is None and not catches_interrupts(process.pid):
            time.sleep(0.001)
        interrupt(process)
        out, err = process.communicate(timeout=120)
    # between two cases nothing holds a signal off
    assert out == "" and (process.returncode, err) in ((1, "perfpred: interrupted\n"), (-signal.SIGINT, "")), (process.returncode, err)


def catches_interrupts(number):
    with open(f"/proc/{number}/status", encoding="utf-8") as file:
        caught = [line.split()[1] for line in file if line.startswith("SigCgt:")]
    return bool(caught) and int(caught[0], 16) >> (signal.SIGINT - 1) & 1 == 1


def kill_worker(process):
    workers = [number for number, name in of_session(process.pid).items() if name.startswith("perfpred-worker")]
    assert len(workers) == 1, of_session(process.pid)
    os.kill(workers[0], signal.SIGKILL)


def test_killed_worker():
    """a worker that is killed while planning or executing: the signal and the call are named, and nothing is written"""
    if NO_WORKER:
        return NO_WORKER
    name = path("killed.c")
    code, out, err = disturbed([*LARGE, *LONG, "--emit", "c", "-o", name], "predict ", kill_worker)
    assert code == 1 and out == "" and not os.path.exists(name), (code, out)
    line = err.rpartition("\rperfpred: ")[2]
    assert "(" in line.partition(": the worker was stopped by SIGKILL")[0] and "SIGKILL" in line, line
    assert line.count("\n") == 1
    code, out, err = disturbed(EXECUTED, "measure ", kill_worker)
    assert code == 1 and out == "" and "dgemm(" in err and "the worker was stopped by SIGKILL" in err, (code, out, err)
    return None


# --- Answers in a file ----------------------------------------------------------------------------------------------------------


def answers_in(name):
    with open(name, encoding="utf-8") as file:
        kept = json.load(file)
    if jsonschema:
        with open(os.path.join(ROOT, "doc", "answers.schema.json"), encoding="utf-8") as file:
            jsonschema.Draft7Validator(json.load(file)).validate(kept)
    return kept


def test_answers():
    """what was asked before is answered from the file, whatever the letters are; the caches are found once"""
    if NO_WORKER:
        return NO_WORKER
    name, rest = path("answers.json"), ("--kernel", "gemm", "--gate", "off", "--answers", path("answers.json"))
    first = report("contract", "ai,ibc->abc", "a=b=c=40", "i=8", *rest)
    again = report("contract", "xk,kyz->xyz", "x=y=z=40", "k=8", *rest)
    other = report("contract", "ai,ibc->abc", "a=b=c=44", "i=8", *rest)
    assert [one["from_file"] for one in (first, again, other)] == [False, True, False]
    assert [one["caches_from_file"] for one in (first, again, other)] == [False, False, True]
    assert again["made_s"] == first["made_s"] and again["best_s"] == first["best_s"] and other["cache_bytes"] == first["cache_bytes"]
    kept = answers_in(name)
    assert len(kept["answers"]) == 2 and len(kept["caches"]) == len(kept["setups"]) == 1
    text = run("contract", "ai,ibc->abc", "a=b=c=40", "i=8", *rest).out
    assert f"answered from {name}: making it took" in text, text
    assert len(answers_in(name)["answers"]) == 2
    return None


def test_answers_apart():
    """another setup's answers are not used, and it is said; a file that is none is refused before anything is measured, and stays"""
    if NO_WORKER:
        return NO_WORKER
    name = path("apart.json")
    words = "contract", "ac,cb->ab", "a=b=c=6", "--kernel", "gemm", "--gate", "off", "--answers", name
    report(*words)
    kept = answers_in(name)
    kept["setups"][0]["blas"]["build_id"] = "0123456789abcdef"
    write("apart.json", json.dumps(kept))
    done = run(*words, "--json")
    assert "another setup" in done.err, done.err
    assert not done.json()["from_file"] and len(answers_in(name)["answers"]) == 2
    kept["machine"]["cpu"] = "Other CPU"
    for text, part in ((json.dumps(kept), "Other CPU"), (json.dumps(kept)[:300], "apart.json"), ("{}", "format"), ("", "apart.json")):
        write("apart.json", text)
        refuses(1, *words, naming=(part,))
        with open(name, encoding="utf-8") as file:
            assert file.read() == text
    done = run(*words[:-1], os.path.join(path("none"), "answers.json"))  # the answer itself is not lost
    assert done.code == 1 and "pick" in done.out and "none" in done.err, (done.code, done.out, done.err)
    refuses(2, "contract", "ac,cb->ab", "a=b=c=6", "--list", "--answers", name, naming=("--answers",))
    refuses(2, "contract", "ac,cb->ab", "a=b=c=6", "--mode", "models", "-m", name, "--answers", name, naming=("--answers",))
    return None


# --- Bad input ----------------------------------------------------------------------------------------------------------------


def test_bad_contractions():
    """what is no contraction is refused, and the index is named"""
    refuses(2, "contract", naming=["contraction"])
    refuses(2, "contract", "ai,ibc->abc", "a=b=c=4", naming=["index i has no extent"])
    refuses(2, "contract", "ai,ibc->abc", "a=4", naming=["indices i,b,c have no extents, expected some such as i=100"])
    refuses(2, "contract", "ai,ibc->abc", "--list", naming=["indices a,i,b,c have no extents"])
    refuses(2, "plot", "contract-stages", "ai,ibc->abc", "-o", path("x.svg"), naming=["indices a,i,b,c have no extents"])
    refuses(2, *THIRD, "--list", "--type", "s", "--kernel", "zgemm", naming=["zgemm"])
    refuses(1, *FIRST, "q=3", naming=["given for q"])
    refuses(1, "contract", "ai,ibc", "a=b=c=4", "i=2", naming=["->"])
    refuses(1, "contract", "ai,ibc,cd->abd", "a=b=c=d=4", "i=2", naming=["two"])
    refuses(1, "contract", "aai,ibc->abc", "a=b=c=4", "i=2", naming=["index a", "twice"])
    refuses(1, "contract", "aix,ibc->abc", "a=b=c=x=4", "i=2", naming=["index x"])
    refuses(1, "contract", "ai,ibc->abcx", "a=b=c=x=4", "i=2", naming=["index x"])
    refuses(1, "contract", "a1,1bc->abc", "a=b=c=4", naming=["letter"])
    refuses(1, "contract", "ai,ibc->abc", "a=b=c=4000000000", "i=8", "--list", naming=["2^63"])


def test_nonsense():
    """texts that nobody can mean: one line, whatever they are"""
    for text in (",", ",->", "%s%n,a->a", "a" * 5000 + ",b->ab", "\u00e9,b->\u00e9b", "a,b->ab->c", "a-,b->ab", "a,b>ab", "a,b,->ab", "1,2->12"):
        refuses(1, "contract", text, "a=b=3", "--list")
    refuses(1, "contract", "i,i->i", "i=4", naming=["no algorithm"])
    refuses(1, "contract", "ac,cb->ab", "a=b=c=2", "--emit", "c", "dgemm", "--strides", "A=1,4294967296", naming=["2^31"])
    if not NO_WORKER:
        refuses(1, "contract", "ac,cb->ab", "a=b=c=400", "--memory", "1M", naming=["bytes"])


def test_bad_extents():
    """extents of the command line"""
    refuses(2, *FIRST[:2], "a=b=c=400", "i=", naming=["i="])
    refuses(2, *FIRST[:2], "a=b=c=400", "i=-1", naming=["-1"])
    refuses(2, *FIRST[:2], "a=b=c=400", "i=eight", naming=["eight"])
    refuses(2, *FIRST[:2], "a=b=c=400", "i=1e3", naming=["1e3"])
    refuses(2, *FIRST[:2], "a=b=c=400", "i=99999999999999999999", naming=["64 bits"])
    refuses(2, *FIRST[:2], "ab=400", "c=3", "i=8", naming=["single letter"])
    refuses(2, *FIRST, "a=3", naming=["'a'", "two extents"])
    refuses(2, *FIRST[:2], "a=b=c=50:400:50", "i=8", naming=["plot contract"])
    refuses(2, *FIRST[:2], "=4", naming=["=4"])


def test_bad_words():
    """options that cannot be meant"""
    refuses(2, *FIRST, "--list", "--kernel", "gem", naming=["'gem'", "gemm", "did you mean"])
    refuses(2, *FIRST, "--list", "--kernel", "gemm,", naming=["--kernel"])
    refuses(2, *FIRST, "--mode", "repaly", naming=["did you mean 'replay'"])
    refuses(2, *FIRST, "--stage", "prefetched", naming=["did you mean 'prefetch'"])
    refuses(2, *FIRST, "--list", "--copies", "--no-copies", naming=["--no-copies"])
    refuses(2, *FIRST, "--list", "--max", "0", naming=["--max"])
    refuses(2, *FIRST, "--list", "--type", "q", naming=["--type"])
    refuses(2, *FIRST, "--list", "--measure", naming=["--measure"])
    refuses(2, *FIRST, "--measure=x", naming=["--measure", "all"])
    refuses(2, *FIRST, "--others", "3", naming=["--measure"])
    refuses(2, *FIRST, "--measure", "--others", "3", naming=["--others"])
    refuses(2, *FIRST, "--list", "--analyze", "c-dgemm", naming=["--list", "--analyze"])
    refuses(2, *FIRST, "c-dgemm", naming=["c-dgemm"])
    refuses(2, *FIRST, "--mode", "models", naming=["-m"])
    refuses(2, *FIRST, "--mode", "replay", "-m", product_models(), naming=["-m"])
    refuses(2, *FIRST, "--emit", "fortran", naming=["'c'"])
    refuses(2, *FIRST, "-o", path("x"), naming=["--emit"])
    refuses(2, *FIRST, "--list", "--corrected", naming=["--analyze"])
    refuses(2, *FIRST, "--list", "--memory", "2G", naming=["--memory", "predictions"])
    for size in "0", "-1", "nan", "1e400", "", "2Gx":
        refuses(2, *FIRST, "--memory", size, naming=["--memory"])
    for chosen in ["--kernel", "gemm"], ["--max", "3"], ["--copies"], ["--no-copies"], ["--no-transpose"]:
        for task in ["--analyze", "c-dgemm"], ["--program", "c-dgemm"], ["--emit", "c", "c-dgemm"]:
            refuses(2, *FIRST, *task, *chosen, naming=[chosen[0], "--list"])
    refuses(2, *FIRST, "--cache", "12Q", naming=["--cache"])
    refuses(2, *FIRST, "--list", "--strides", "D=1", naming=["--strides"])
    refuses(2, *FIRST, "--list", "--strides", "A=1", naming=["2 dimensions"])
    refuses(1, *FIRST, "--list", "--strides", "C=1,1,1", naming=["C"])
    refuses(1, *FIRST, "--analyze", "c-dgem", naming=["c-dgem", "did you mean 'c-dgemm'"])
    refuses(1, *FIRST, "--analyze", "x-dgemm", naming=["x"])
    refuses(1, *FIRST, "--emit", "c", "bc-dgemm", naming=["bc-dgemm"])
    for name in "1x", "free", "main", "_Bool", "cblas_dgemm", "int", "typeof", "bool", " ", "a b", "a-b", "f;", "\u00e9":
        refuses(2, *FIRST, "--emit", "c", "c-dgemm", "--name", name, naming=["--name", f"'{name}'", "a name of C"])
    refuses(2, *FIRST, "--emit", "c", "c-dgemm", "--name", "", naming=["--name", "NAME"])
    long = "f" * 300
    assert f"int {long}(const double *A" in run(*FIRST, "--emit", "c", "c-dgemm", "--name", long).out
    refuses(1, *FIRST, "--program", "c-dgmm", naming=["c-dgmm"])
    refuses(2, *FIRST, "--cases", contractions.CASES, naming=["--cases"])
    refuses(1, *FIRST, "-m", path("none.json"), naming=["none.json"])
    refuses(2, "plot", "contract", "ai,ibc->abc", "a=b=c=4", "i=8", "-o", path("x.svg"), naming=["varies"])
    refuses(2, "plot", "contract", "-o", path("x.svg"), naming=["contraction"])
    refuses(2, "plot", "contract", "ai,ibc->abc", "a=1:9:2", "b=1:9:2", "c=i=4", "-o", path("x.svg"), naming=["one range"])
    refuses(2, "plot", "contract", "ai,ibc->abc", "a=1:9", "b=c=i=4", "-o", path("x.svg"), naming=["LO:HI:STEP"])
    refuses(2, "plot", "performance", "chol-l-1", "--kernel", "gemm", "-n", "8", "-o", path("x.svg"), naming=["--kernel"])


def test_bad_values():
    """numbers of options: each that is none, or out of range, is refused with the option's name and what was expected"""
    integer, number, size = "expected an integer from ", "expected a number from ", "expected a size above 0 in bytes"
    measured = "--measure", "1"
    for option, expected, beside in (
        ("--cache", size, ()), ("--factor", number, ()), ("--line", integer, ("--analyze", "c-dgemm")), ("--budget", number, ()),
        ("--limit", number, measured), ("--run-budget", number, measured), ("--reps", integer, measured), ("--others", integer, measured),
        ("--measure", integer, ()), ("--seed", integer, ())
    ):  # fmt: skip
        for value in "0", "-1", "nan", "inf", "1e400", "", "0x10", "5x", " 5", "99999999999999999999":
            refuses(2, *FIRST, *beside, f"{option}={value}", naming=[f"option {option}:", "expected" if value == "" else expected])


def test_bad_models():
    """files that are no models, or whose values have no sense: named, with what was expected"""
    with open(product_models(), encoding="utf-8") as file:
        text = file.read()

    def changed(change):
        content = json.loads(text)
        change(content)
        return json.dumps(content)

    for broken, naming in (
        ("", "expected a model file"), ("[]", "expected a JSON object"), ('{"name": "other"}', "format"), (text[: len(text) // 2], "expected"),
        ("[" * 100000, "depth"),
        (changed(lambda all: all["machine"].update(tsc_hz=4711.5)).replace("4711.5", "1e999"), "1e999"),
        (changed(lambda all: all["setups"][0].update(threads=10**18)), "setups[0].threads: expected an integer"),
        (changed(lambda all: all["models"][0]["pieces"][0]["upper"].__setitem__(0, 10**18)), "upper[0]: expected an integer"),
        (changed(lambda all: all["models"][0]["pieces"][0].update(coefficients="x")), "coefficients: expected an object"),
        (changed(lambda all: all["models"][0].update(kernel="nonesuch")), "nonesuch"),
        (changed(lambda all: all["models"][0].update(setup=-1)), "models[0].setup: expected an integer"),
        (changed(lambda all: all.update(models={})), "models: expected a list"),
    ):  # fmt: skip
        for mode in "models", "auto":
            refuses(1, *FIRST, "-m", write("broken.json", broken), "--mode", mode, naming=["broken.json", naming])
    other = write("other.json", text.replace("dgemm", "sgemm"))  # models, but of another data type
    refuses(1, "contract", "ac,cb->ab", "a=b=c=40", "--kernel", "gemm", "-m", other, "--mode", "models", naming=["dgemm(N,N,40,40,40)"])


def test_bad_files():
    """files of cases that are broken, and output that cannot be written"""
    def cases(text):
        return "contract", "--list", "--cases", write("broken.csv", text)
    refuses(1, "contract", "--list", "--cases", path("no.csv"), naming=["no.csv"])
    refuses(1, *cases(""), naming=["broken.csv:1", "name"])
    refuses(1, *cases("name,einsum\n"), naming=["broken.csv:1", "'dims'"])
    refuses(1, *cases('name,einsum,dims\nx,"ac,cb->ab,a=1\n'), naming=["broken.csv:2", "fields"])
    refuses(1, *cases("name,einsum,dims\nx,ac\n"), naming=["broken.csv:2", "fields"])
    refuses(1, *cases('name,einsum,dims\nx,"ac,cb->ab",a=1;b=2;c=x\n'), naming=["broken.csv:2", "'x'"])
    refuses(1, *cases('name,einsum,dims\nx,"ac,cb->ab",a=1;b=2\n'), naming=["broken.csv:2", "index c"])
    for line, naming in (
        ("", "indices a,c,b"), ("a=1;b=2;c=3;q=4", "given for q"), ("a=-1;b=2;c=3", "expected at least 0"), (";;;", "expected extents"),
        ("a=99999999999999999999;b=2;c=3", "64 bits"), ("a=b=c=4000000000", "2^63"), ("a" * 5000, "too long"), ("a=1:9;b=2;c=3", "range"),
        ("a=1;b=2;c=3\n\0more", "NUL"), ("\0", "NUL")
    ):  # fmt: skip
        place = "broken.csv:3" if "\n" in line else "broken.csv:2"
        refuses(1, *cases(f'name,einsum,dims\nx,"ac,cb->ab",{line}\n'), naming=[place, naming])
    refuses(1, *cases('x,"ac,cb->ab",a=1;b=2;c=3\n'), naming=["broken.csv:1", "'name'"])
    refuses(1, *cases("\x7fELF\x01\0\0\n"), naming=["broken.csv:1", "NUL"])
    emit = *FIRST, "--emit", "c", "c-dgemm"
    refuses(1, *emit, "-o", path("no/such/folder.c"), naming=["folder.c"])
    refuses(1, *emit, "-o", folder(), naming=["regular file"])
    kept = write("kept.c", "before")
    # a limit on the size of files stands for a full disk
    done = subprocess.run(["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", COMMAND, *emit, "-o", kept], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "kept.c" in done.stderr, done
    with open(kept, encoding="utf-8") as file:
        assert file.read() == "before"
    assert not [name for name in os.listdir(folder()) if name.startswith("kept.c.")], "a temporary file is left"
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for words in ["--list"], ["--list", "--json"], ["--analyze", "c-dgemm"], ["--analyze", "c-dgemm", "--json"], emit[-3:]:
                done = subprocess.run([COMMAND, *FIRST, *words], stdout=full, stderr=subprocess.PIPE, text=True)
                assert done.returncode == 1 and done.stderr.count("\n") == 1, done
                assert "standard output" in done.stderr and "No space left" in done.stderr, done


if __name__ == "__main__":
    main(globals())
