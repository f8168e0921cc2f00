# SPDX-License-Identifier: BSD-3-Clause
"""Files that are not what they should be."""

import json
import os

from harness import folder, main, models, refuses, run

NAME = "chol-l-3"
POINT = ("n=1000", "b=128")


def write(name, text):
    path = os.path.join(folder(), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def good_text():
    with open(models(NAME), encoding="utf-8") as file:
        return file.read()


def everywhere(path, naming):
    """Every subcommand that reads models refuses the file, with its name in the message."""
    naming = [os.path.basename(path), *naming]
    refuses(1, "model", path, naming=naming)
    refuses(1, "predict", NAME, "-m", path, *POINT, naming=naming)
    refuses(1, "rank", "chol-l", "-m", path, *POINT, naming=naming)
    refuses(1, "tune", NAME, "-m", path, "n=1000", naming=naming)
    refuses(1, "validate", NAME, "-m", path, "-n", "64", naming=naming)
    target = os.path.join(folder(), "never.svg")
    refuses(1, "plot", "performance", NAME, "-m", path, "-n", "64:128:64", "-o", target, naming=naming)
    assert not os.path.exists(target)


def test_missing():
    """a model file that is not there"""
    everywhere(os.path.join(folder(), "absent.json"), [])


def test_folder():
    """a folder where a model file should be"""
    os.makedirs(os.path.join(folder(), "folder.json"), exist_ok=True)
    everywhere(os.path.join(folder(), "folder.json"), [])


def test_empty():
    """an empty file"""
    everywhere(write("empty.json", ""), [])


def test_truncated():
    """truncated files, wherever they are cut"""
    text = good_text()
    for part in (0.999, 0.5, 0.01):
        path = write("cut.json", text[: int(len(text) * part)].rstrip().rstrip("}"))
        refuses(1, "model", path, naming=["cut.json"])
    everywhere(write("cut.json", text[: len(text) // 2]), [])


def test_not_json():
    """files that are not JSON, or other JSON"""
    everywhere(write("text.json", "hello\n"), [])
    everywhere(write("list.json", "[]"), [])
    everywhere(write("object.json", "{}"), [])
    everywhere(write("nul.json", "\0\0\0\0"), [])


def changed(change):
    document = json.loads(good_text())
    change(document)
    return json.dumps(document)


def find_key(value, key):
    """All objects that hold a key."""
    found = []
    if isinstance(value, dict):
        if key in value:
            found.append(value)
        for child in value.values():
            found += find_key(child, key)
    elif isinstance(value, list):
        for child in value:
            found += find_key(child, key)
    return found


def test_version():
    """a file of another format version"""
    document = json.loads(good_text())
    beyond = document["version"] + 1
    everywhere(write("version.json", changed(lambda d: d.update(version=beyond))), [str(beyond)])
    everywhere(write("format.json", changed(lambda d: d.update(format="something else"))), ["format"])


def test_nan():
    """numbers that are not finite"""
    text = good_text()
    for word in ("NaN", "Infinity", "1e999"):
        document = json.loads(text)
        find_key(document, "coefficients")[0]["coefficients"]["med"][0] = 4711.25
        everywhere(write("nan.json", json.dumps(document).replace("4711.25", word, 1)), [])


def test_domain():
    """domains that are negative or upside down"""
    for key, value in (("lower", -8), ("upper", 0)):
        document = json.loads(good_text())
        find_key(document, key)[0][key][0] = value
        everywhere(write("domain.json", json.dumps(document)), [])


def test_duplicate_keys():
    """keys that occur twice"""
    text = good_text()
    key = next(iter(json.loads(text)))
    value = json.dumps(json.loads(text)[key])
    everywhere(write("twice.json", "{" + f'"{key}": {value}, ' + text.lstrip()[1:]), [])


def test_targets():
    """files that cannot be written are noticed before anything is measured"""
    generate = ("generate", "--for", NAME, "-n", "8:64", "-b", "8:16", "--worker", "/nonexistent-worker")
    absent = os.path.join(folder(), "absent", "models.json")
    refuses(1, *generate, "-o", absent, naming=["absent/models.json"])
    refuses(1, *generate, "-o", folder(), naming=["not a regular file"])
    refuses(1, *generate, "-o", "/dev/null", naming=["/dev/null"])
    refuses(1, *generate, "-o", os.path.join(folder(), "x" * 300), naming=["xxx"])
    assert not os.path.exists(absent)
    if os.geteuid() != 0:
        closed = os.path.join(folder(), "closed")
        os.makedirs(closed, mode=0o500, exist_ok=True)
        refuses(1, *generate, "-o", os.path.join(closed, "models.json"), naming=["closed/models.json"])


def test_failed_generation():
    """a generation that fails writes nothing and keeps what is there"""
    path = write("kept.json", "kept")
    before = sorted(os.listdir(folder()))
    refuses(1, "generate", "--for", NAME, "-o", path, "--worker", "/nonexistent-worker", naming=["/nonexistent-worker"])
    with open(path, encoding="utf-8") as file:
        assert file.read() == "kept"
    assert sorted(os.listdir(folder())) == before


def test_wrong_knobs():
    """knobs of --set are checked by name and value"""
    generate = ("generate", "--for", NAME, "-o", os.path.join(folder(), "never.json"))
    refuses(2, *generate, "--set", "gridd=chebyshev", naming=["'gridd'", "did you mean 'grid'"])
    refuses(2, *generate, "--set", "grid=square", naming=["grid", "'square'", "cartesian"])
    refuses(2, *generate, "--set", "generator=random", naming=["generator", "'random'", "published, adaptive"])
    refuses(2, *generate, "--set", "generator=1", naming=["generator", "'1'", "published, adaptive"])
    refuses(2, *generate, "--set", "grid", naming=["KNOB=VALUE"])
    for knob in ("overfitting", "oversampling", "repetitions", "minimum-width", "seed", "error-bound"):
        for value in ("", "x", "-1", "nan", "1e400"):
            refuses(2, *generate, "--set", f"{knob}={value}", naming=[knob])
    refuses(2, *generate, "-n", "8:64:8", naming=["STEP"])


def test_wrong_yardsticks():
    """readings of the yardstick that are no positive numbers of seconds"""
    for words in (
        ("sample",),
        ("measure", NAME, "n=64", "b=16"),
        ("validate", NAME, "-m", models(NAME), "-n", "64"),
    ):
        for value in ("nan", "-1", "0", "x", "", "inf", "2"):
            refuses(2, *words, "--yardstick", value, naming=["--yardstick"])


def test_large_numbers():
    """numbers of a text that fit into no integer are named, with their place"""
    text = "perfpred-text 1\n\nalgorithm mine(n, b)\n  operation mine\n  inout A: double matrix[n, n]\n  let x = {}\nend\n"
    for number in ("99999999999999999999", "9223372036854775808"):
        path = write("large.txt", text.format(number))
        refuses(1, "algorithms", "mine", "-f", path, naming=["large.txt:6:11: the number " + number, "64 bits"])
    refuses(1, "algorithms", "mine", "-f", write("large.txt", text.format("1e400")), naming=["6:11: the number 1e400"])
    assert run("algorithms", "mine", "-f", write("large.txt", text.format("9223372036854775807"))).code == 0


def test_wrong_names():
    """names of algorithms in lists"""
    refuses(1, "generate", "--for", "chol-l-3,chol-l-9", "-o", "x", naming=["'chol-l-9'"])
    refuses(2, "generate", "--for", "chol-l-3,", "-o", "x", naming=["'chol-l-3,'"])
    refuses(1, "rank", "cohl-l", "-m", models(NAME), *POINT, naming=["'cohl-l'"])


def test_wrong_leading_dimension():
    """a leading dimension that the matrices do not fit"""
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker"
    refuses(1, "measure", NAME, "n=64", "b=16", "--ld", "63", naming=["63", "64", "rows of A"])
    path = os.path.join(folder(), "never.json")
    refuses(1, "generate", "--for", NAME, "-n", "8:64", "-b", "8:16", "--ld", "63", "-o", path, naming=["ld", "63", "64"])
    assert not os.path.exists(path)
    return None


def test_wrong_libraries():
    """libraries and workers that are not there"""
    measure = ("measure", NAME, "n=64", "b=16")
    refuses(1, *measure, "--worker", "/nonexistent/worker", naming=["/nonexistent/worker"])
    if "PERFPRED_WORKER" not in os.environ:
        return "built without the worker"
    refuses(1, *measure, "--blas", "/nonexistent/libblas.so.3", naming=["/nonexistent/libblas.so.3"])
    refuses(1, *measure, "--lapack", "/nonexistent/liblapack.so.3", naming=["/nonexistent/liblapack.so.3"])
    refuses(1, *measure, "--blas", write("fake.so", "not a library"), naming=["fake.so"])
    refuses(2, *measure, "--env", "NOVALUE", naming=["--env"])
    return None


def test_force():
    """models of another machine are shown, refused, and used by force with a mark"""
    document = json.loads(good_text())
    for setup in document.get("setups", [document.get("setup")]):
        setup["clock"] = "tsc"
    document["machine"]["cpu"] = "Abacus 2000"
    path = write("other.json", json.dumps(document))
    refuses(1, "predict", NAME, "-m", path, *POINT, naming=["Abacus 2000", "--force"])
    assert run("model", path, "--json").json()["of_this_machine"] is False
    forced = run("predict", NAME, "-m", path, *POINT, "--force", "--json").json()
    assert forced["status"] == "forced" and "other machine" in forced["notes"]


main(globals())
