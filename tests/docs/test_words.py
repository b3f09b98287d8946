"""The prose of pages, comments and docstrings: habits that make a sentence be read twice.

The Rust book is the model: subject, verb, object, present tense. What a pattern can see is held here.
"""

import ast
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LISTED = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
FILES = [name for name in LISTED.stdout.splitlines() if (REPOSITORY / name).is_file()]

LOWER_CASE_NAMES = ("bash", "htsim", "iproute2", "ns-2", "ns-3", "quinn", "noq", "pyDOE", "tc ")
"""Names that begin a sentence as they are written."""

HABITS = {
    r"\b[Ss]o[- ]many\b(?!.{0,90}\bthat\b)|so-manieth": "'so many' for a number: write 'this many'",
    r"\b[Nn]one where\b": "'none where': write 'none if'",
    r"\b[Bb]eside\b": "'beside': write 'with', 'next to' or 'compared with'",
    r"\b\d[\d,.]*(?: (?:s|ms|MB|GB|kB|%|CPU-seconds|instructions))? for \d[\d,.]*": (
        "'N for M': write 'down from M', 'up from M' or 'N instead of M'"
    ),
    r"\b[Jj]udgement": "one spelling: write 'judgment'",
}
"""Patterns that no prose has, with what to write instead."""

ALLOWED = (
    # Names of files, columns, keys and options.
    r"`[^`]*`",
    r"--part beside",
    r"bbr-beside-cubic",
    r"call-beside-download",
    r"\*beside\*",
    r"[\w/-]*beside[\w-]*\.(?:csv|svg|md|py|ipynb)",
    # Quotations.
    r'"[^"\n]*"',
    # RFC 9000's ranges and packets that a test lists: "segments of 500 bytes, 0 for 3000-3499".
    r"\b0 for 3000-3499",
    r"\b4 for 100 ms|\b8 packets for 100 ms|\b16 for 50 ms",
    r"\b2437000 bytes for 2437 packets",
    r"min_RTT / 4, for 16 recoveries",
    r"\b4 s for 1; then",
)
"""What a pattern may find: names, quotations, and numbers that are no comparison."""


def pages() -> list[str]:
    """Markdown that people read and write: not what is generated."""
    left_out = ("published/", "docs/league/", "docs/papers/")
    return [name for name in FILES if name.endswith(".md") and not name.startswith(left_out)]


def prose_of_a_page(name: str) -> str:
    """A page without its code."""
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    return re.sub(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1 *$", "", text, flags=re.MULTILINE | re.DOTALL)


def prose_of_a_notebook(name: str) -> str:
    """The Markdown cells of a notebook."""
    cells = json.loads((REPOSITORY / name).read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def prose_of_rust(name: str) -> str:
    """The comments of a Rust or JavaScript file."""
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^\s*(?://[/!]?|/\*\*|\*)(.*)$", text, re.MULTILINE))


def prose_of_python(name: str) -> str:
    """The docstrings and comments of a Python file."""
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    found = re.findall(r"^\s*#(.*)$", text, re.MULTILINE)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.append(str(node.value.value))
    return "\n".join(found)


WORDS_OF_A_CLAIM = ("statement", "why", "evidence", "unit", "place", "note")


def prose_of_claims(name: str) -> str:
    """The words of the claims of a paper."""
    claims = tomllib.loads((REPOSITORY / name).read_text(encoding="utf-8"))["claim"]
    return "\n".join(str(claim[word]) for claim in claims for word in WORDS_OF_A_CLAIM if word in claim)


READERS = {
    ".ipynb": prose_of_a_notebook,
    ".js": prose_of_rust,
    ".mjs": prose_of_rust,
    ".py": prose_of_python,
    ".rs": prose_of_rust,
}


@pytest.fixture(scope="module")
def prose() -> list[tuple[str, str]]:
    """Each file with its prose, in one line and without what is allowed."""
    here = str(Path(__file__).relative_to(REPOSITORY))
    readable = [(name, prose_of_a_page) for name in pages()]
    readable += [(name, READERS[Path(name).suffix]) for name in FILES if Path(name).suffix in READERS]
    readable += [(name, prose_of_claims) for name in FILES if name.endswith("/claims.toml")]
    found = []
    for name, read in readable:
        if name != here and not name.startswith(("published/", "fuzz/corpus/")):
            text = read(name)
            for allowed in ALLOWED:
                text = re.sub(allowed, "", text)
            found.append((name, re.sub(r"\s+", " ", text)))
    return found


@pytest.mark.parametrize("habit", HABITS, ids=["so-many", "none-where", "beside", "n-for-m", "judgement"])
def test_no_prose_has_a_habit_that_is_read_twice(habit: str, prose: list[tuple[str, str]]) -> None:
    found = [
        f"{name}: …{text[max(match.start() - 50, 0) : match.end() + 30]}…"
        for name, text in prose
        for match in re.finditer(habit, text)
    ]
    assert not found, HABITS[habit] + "\n" + "\n".join(found)


def documentation() -> Iterator[tuple[str, str]]:
    """The doc comments of the crates and the docstrings of the package, one by one, with their files."""
    for name in FILES:
        text = (REPOSITORY / name).read_text(encoding="utf-8") if name.endswith((".rs", ".py")) else ""
        if name.startswith("crates/") and "/src/" in name:
            for lines in re.findall(r"(?:^[ \t]*//[/!].*\n)+", text, re.MULTILINE):
                yield name, re.sub(r"^[ \t]*//[/!] ?", "", lines, flags=re.MULTILINE)
        elif name.startswith(("python/ackclock/", "reference/", "verification/")):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    yield name, str(node.value.value)


def test_documentation_opens_with_the_noun_that_it_describes() -> None:
    """Write "The output of the program", not "What the program prints": the subject comes first."""
    opening = re.compile(r"(?:What|Whether)\b[^?]*\.")
    found = [f"{name}: {text.strip()[:80]}" for name, text in documentation() if opening.match(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", pages())
def test_no_block_of_code_is_the_subject_of_a_sentence(name: str) -> None:
    """After a block a sentence begins anew: "The command runs ..", not "runs ..". Formulas may go on."""
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    text = re.sub(r"^```\{math\}\n(?:.*\n)+?```$", "", text, flags=re.MULTILINE)
    for following in re.findall(r"^(?:`{3,}|~{3,}) *\n\n+([a-z][^\n]*)", text, re.MULTILINE):
        assert following.startswith(LOWER_CASE_NAMES), f"{name}: {following!r} after a block of code"
