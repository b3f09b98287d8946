"""CONTRIBUTING.md names what exists, and the steps of its recipes that no other test holds are done."""

import re
from collections.abc import Iterator
from pathlib import Path

import ackclock
from ackclock.columns import TABLES

ROOT = Path(__file__).resolve().parents[2]
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
SUFFIXES = {".csv", ".ipynb", ".js", ".json", ".lock", ".md", ".py", ".rs", ".toml"}


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def fixed(path: str) -> Path:
    """The part of a path before its first placeholder: `<key>`, or a name with `example`."""
    parts = []
    for part in path.split("/"):
        if "<" in part or "example" in part:
            break
        parts.append(part)
    return Path(*parts)


def missing(page: str) -> Iterator[str]:
    """The paths, targets of make and modules in backquotes that do not exist.

    A path begins in the root of the repository, or in a folder of a path that its section names before.
    """
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        folders = [ROOT]
        for named in re.findall(r"`([^`]+)`", section):
            program, *words = named.split()
            if program == "make" and words:
                yield from (f"make {word}" for word in words if "=" not in word and word not in TARGETS)
            elif program == "python" and words[0] == "-m":
                module = ROOT / words[1].replace(".", "/")
                if not (module.with_suffix(".py").is_file() or (module / "__main__.py").is_file()):
                    yield named
            elif re.fullmatch(r"[\w.<>/-]+", named) and ("/" in named or Path(named).suffix in SUFFIXES):
                path = fixed(named)
                found = [folder / path for folder in folders if (folder / path).exists()]
                if not found:
                    yield named
                for place in found[:1]:
                    folders += [each for each in (place, *place.parents) if ROOT in each.parents]


def test_what_the_page_for_contributors_names_exists() -> None:
    page = read("CONTRIBUTING.md")
    assert len(re.findall(r"^## ", page, re.MULTILINE)) > 20
    assert list(missing(page)) == []


RIGHT = (
    "`tests/laws/rooms.py` with `rust_modules.py` next to it, `crates/<crate>/README.md`, "
    "`papers/example/x.py`, `make lint`, `python -m tests.laws.rooms`"
)
WRONG = (
    "tests/laws/room.py",
    "modules.py",
    "crate/<crate>/README.md",
    "paper/example/x.py",
    "make lnt",
    "python -m tests.laws.room",
)


def test_a_name_of_nothing_is_found() -> None:
    page = f"{RIGHT}, `{'`, `'.join(WRONG)}`\n## Another section\n`rust_modules.py`"
    assert list(missing(page)) == [*WRONG, "rust_modules.py"]


def test_the_readme_counts_the_algorithms() -> None:
    kinds = [entry.kind for entry in ackclock.list_algorithms()]
    controls = kinds.count("avoidance") + kinds.count("controller")
    readme, starts = read("README.md"), kinds.count("slow start")
    assert f"| congestion controls | {controls}, with any of {starts} slow starts |" in readme
    assert f"\n  with any of {starts} slow starts.\n" in readme
    assert f"- **TCP**: {kinds.count('recovery')} loss recoveries" in readme


def test_the_page_of_second_readings_has_a_row_for_each() -> None:
    rows = set()
    for row in re.findall(r"^\| (.*?) \|", read("reference/README.md"), re.MULTILINE):
        folder = ""
        for name in re.findall(r"`([^`]+)`", row):
            folder, _, file = name.rpartition("/") if "/" in name else (folder, "", name)
            rows.add(f"{folder}/{file}".lstrip("/"))
    files = [path.relative_to(ROOT / "reference") for path in (ROOT / "reference").rglob("*.py")]
    lacking = sorted({path.as_posix() for path in files if path.name != "__init__.py"} - rows)
    assert not lacking, f"reference/README.md has no row for {', '.join(lacking)}"


def test_the_playground_has_sliders_for_the_links_of_each_topology() -> None:
    code = read("playground/src/scenario/links.js")
    for entry in ackclock.list_entries("topologies"):
        assert f"  {entry.name}: [" in code or f'"{entry.name}"' in code, f"links.js has no {entry.name}"


def test_the_column_of_protocols_names_each() -> None:
    declared = re.search(r"NAMES: .* = \[(.*)\];", read("crates/ackclock-simulation/src/facts/flow_infos.rs"))
    assert declared is not None
    said = re.findall(r'"(\w+)"', TABLES["flows"].columns["kind"])
    assert said == list(dict.fromkeys(re.findall(r'"(\w+)"', declared[1])))
