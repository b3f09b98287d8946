"""Every promise of docs/promises.md names tests, all of them exist, and its counts of unsafe code hold."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TEXT = (REPOSITORY / "docs" / "promises.md").read_text(encoding="utf-8")
PROMISES = [" ".join(item.split()) for item in re.findall(r"^- (.+(?:\n  .+)*)", TEXT, re.MULTILINE)]
NAMED = re.compile(r"`([\w./-]+)::(\w+)`")
LOADS = re.compile(
    r"\bpickle\.loads?\(|\bexec_module\(|(?<![.\w])(?:exec|eval)\(|\bmarshal\b|\brunpy\b|allow_pickle|InferenceSession"
    r"|register_pickle_by_value|import_module\(f?\"\{_fresh"
)
"""What runs code or makes objects that a file describes."""
# A test function with the attribute or the name by which its runner finds it.
DEFINED = {".py": r"^def {}\(", ".rs": r"#\[test\]\s+(?:#\[.*\]\s+)*fn {}\("}


def has_test(path: Path, name: str) -> bool:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":  # a sentence, here with underscores between its words
        return name in {
            "_".join(re.findall(r"\w+", title)) for title in re.findall(r'^test\("(.*?)"', text, re.MULTILINE)
        }
    return re.search(DEFINED[path.suffix].format(name), text, re.MULTILINE) is not None


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_tests_that_exist(promise: str) -> None:
    tests = NAMED.findall(promise)
    assert tests, f"docs/promises.md names no test for: {promise}"
    for file, name in tests:
        path = REPOSITORY / file
        assert path.is_file(), f"docs/promises.md: there is no file {file}"
        assert has_test(path, name), f"docs/promises.md: {file} has no test {name}"


def test_unsafe_code_is_where_the_page_says() -> None:
    stated = {
        file: int(lines)
        for file, lines in re.findall(r"^\| `(crates/\S+\.rs)` \| (\d+) \|", TEXT, re.MULTILINE)
    }
    found = {}
    for path in (REPOSITORY / "crates").glob("*/src/**/*.rs"):
        lines = path.read_text(encoding="utf-8").splitlines()
        if count := sum(re.search(r"\bunsafe\b", line) is not None for line in lines):
            found[str(path.relative_to(REPOSITORY))] = count
    assert stated == found


def test_code_is_loaded_where_the_page_says() -> None:
    stated = set(re.findall(r"^\| `(python/\S+\.py)` \|", TEXT, re.MULTILINE))
    found = {
        str(path.relative_to(REPOSITORY))
        for path in (REPOSITORY / "python" / "ackclock").rglob("*.py")
        if LOADS.search(path.read_text(encoding="utf-8"))
    }
    assert stated == found


def test_there_are_promises() -> None:
    assert len(PROMISES) > 15, PROMISES
