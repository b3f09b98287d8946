"""The house rules of ARCHITECTURE.md: who may import whom, what a long file says of itself."""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ackclock
from tests.laws.rust_modules import Crate, circles

REPOSITORY = Path(__file__).resolve().parents[2]

# The crates that each crate may use. A driver for another transport adds a line; it needs congestion only.
CRATES: dict[str, set[str]] = {
    "ackclock-units": set(),
    "ackclock-catalogue": {"ackclock-units"},
    "ackclock-random": {"ackclock-units"},
    "ackclock-congestion": {"ackclock-units", "ackclock-catalogue"},
    "ackclock-memory": {"ackclock-units"},
    "ackclock-network": {"ackclock-units", "ackclock-catalogue", "ackclock-memory", "ackclock-random"},
    "ackclock-transport": {"ackclock-units", "ackclock-catalogue", "ackclock-congestion"},
    "ackclock-application": {"ackclock-units", "ackclock-catalogue", "ackclock-random"},
    "ackclock-scenario": {
        "ackclock-units",
        "ackclock-catalogue",
        "ackclock-application",
        "ackclock-random",
        "ackclock-congestion",
        "ackclock-memory",
        "ackclock-network",
        "ackclock-transport",
    },
    "ackclock-simulation": {
        "ackclock-units",
        "ackclock-catalogue",
        "ackclock-application",
        "ackclock-random",
        "ackclock-congestion",
        "ackclock-memory",
        "ackclock-network",
        "ackclock-transport",
        "ackclock-scenario",
    },
    "ackclock-packetdrill": {
        "ackclock-units",
        "ackclock-catalogue",
        "ackclock-congestion",
        "ackclock-transport",
        "ackclock-scenario",
    },
    "ackclock-policy": {"ackclock-congestion"},
    "ackclock-quic": {
        "ackclock-units",
        "ackclock-congestion",
        "ackclock-policy",
        "ackclock-transport",
        "ackclock-simulation",
    },
    "ackclock-link": {"ackclock-units", "ackclock-network", "ackclock-simulation"},
    "ackclock-kernel": {"ackclock-units", "ackclock-congestion", "ackclock-policy", "ackclock-transport"},
    "ackclock": {
        "ackclock-units",
        "ackclock-catalogue",
        "ackclock-congestion",
        "ackclock-transport",
        "ackclock-simulation",
    },
    "ackclock-python": {
        "ackclock-units",
        "ackclock-catalogue",
        "ackclock-application",
        "ackclock-congestion",
        "ackclock-memory",
        "ackclock-network",
        "ackclock-packetdrill",
        "ackclock-policy",
        "ackclock-random",
        "ackclock-transport",
        "ackclock-simulation",
        "ackclock-quic",
    },
    "ackclock-web": {"ackclock-units", "ackclock-catalogue", "ackclock-congestion", "ackclock-simulation"},
}

# Crates that see no clock, no randomness and no input or output may depend on nothing that brings them.
PURE: dict[str, set[str]] = {
    "ackclock-units": set(),
    "ackclock-catalogue": {"strsim"},
    "ackclock-congestion": {"dyn-clone", "libm"},
    "ackclock-transport": set(),
}

# Data frames come from Python; their crates would multiply the time of the first build.
HEAVY_CRATES = {"polars", "arrow", "arrow2", "parquet", "datafusion", "ndarray", "numpy"}

# Folders of Python and the packages of ours that each may import.
PYTHON: dict[str, set[str]] = {
    "python/ackclock": {"ackclock"},
    "reference": {"reference"},
    "papers": {"ackclock", "papers"},
    "verification": {"ackclock", "verification"},
    "benches": {"ackclock", "benches", "verification"},
}
OURS = {"ackclock", "reference", "papers", "verification", "benches", "tests"}

# Files that may lift a ban of clippy.toml, each with its reason.
EXEMPT = {
    # A stack counts by instants of the standard library, which only a clock makes: one of them is time zero.
    "crates/ackclock-quic/src/simulated/epoch.rs",
    # Real sockets go by the host's clock, which is read there alone, and passed on as an argument.
    "crates/ackclock-quic/src/sockets/clock.rs",
    # An emulated link runs by the host's clock, which it reads there alone, and passes on as an argument.
    "crates/ackclock-link/src/clock.rs",
    # The test of the program waits for another process, in the host's time.
    "crates/ackclock-link/tests/on_host.rs",
}

# A longer file says at its head why, in a sentence with this beginning. None is above the second number.
LONG_FILE, LONGEST_FILE = 500, 800
REASON = "Long because "
HEAD = 15


def dependencies() -> dict[str, dict[str, set[str]]]:
    """Each crate's dependencies by kind ("normal", "dev", "build"), from its manifest."""
    report = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    crates: dict[str, dict[str, set[str]]] = {}
    for package in json.loads(report.stdout)["packages"]:
        kinds: dict[str, set[str]] = {"normal": set(), "dev": set(), "build": set()}
        for dependency in package["dependencies"]:
            kinds[dependency["kind"] or "normal"].add(dependency["name"])
        crates[package["name"]] = kinds
    return crates


def python_files(folder: str) -> list[Path]:
    """The Python files of a folder, without those reached through its links."""
    links = [path for path in (REPOSITORY / folder).rglob("*") if path.is_symlink()]
    return [
        path
        for path in sorted((REPOSITORY / folder).rglob("*.py"))
        if not any(link in path.parents for link in links)
    ]


def imports(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Every import of a file: its line, the module, the names taken from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, []
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                package = path.relative_to(REPOSITORY).parts[: -node.level]
                module = ".".join((*package, module)).removeprefix("python.").rstrip(".")
            yield node.lineno, module, [alias.name for alias in node.names]


def test_every_crate_uses_only_the_crates_below_it() -> None:
    found = {name: kinds["normal"] | kinds["build"] for name, kinds in dependencies().items()}
    assert set(found) == set(CRATES), "a crate was added or removed: say in CRATES what it may use"
    for name, used in found.items():
        upward = {other for other in used if other in CRATES} - CRATES[name]
        assert not upward, f"{name} uses {sorted(upward)}; it may use {sorted(CRATES[name])}"


def test_pure_crates_stay_pure() -> None:
    found = dependencies()
    for name, allowed in PURE.items():
        foreign = {other for other in found[name]["normal"] if other not in CRATES} - allowed
        assert not foreign, f"{name} must not depend on {sorted(foreign)}"


def test_no_crate_brings_a_data_frame_library() -> None:
    lock = (REPOSITORY / "Cargo.lock").read_text(encoding="utf-8")
    locked = {line.split('"')[1] for line in lock.splitlines() if line.startswith("name = ")}
    assert not locked & HEAVY_CRATES


def test_no_crate_that_computes_lets_itself_off_the_bans() -> None:
    for crate in CRATES.keys() - {"ackclock-python"}:
        for path in (REPOSITORY / "crates" / crate).rglob("*.rs"):
            if str(path.relative_to(REPOSITORY)) in EXEMPT:
                continue
            text = path.read_text(encoding="utf-8")
            for ban in ("clippy::disallowed_methods", "clippy::disallowed_types"):
                assert ban not in text, f"{path.relative_to(REPOSITORY)} lifts {ban}"


@pytest.mark.parametrize("crate", CRATES)
def test_no_circle_of_imports_in_a_crate(crate: str) -> None:
    imports = Crate(REPOSITORY / "crates" / crate / "src").imports()
    found = [", ".join("::".join(module) for module in circle) for circle in circles(imports)]
    assert not found, (
        f"in {crate} these modules import each other: move what they share to a file below: {found}"
    )


def test_a_circle_of_imports_is_found(tmp_path: Path) -> None:
    (tmp_path / "link").mkdir()
    (tmp_path / "lib.rs").write_text("mod link;\nmod packet;\npub use link::Link;\n")
    (tmp_path / "packet.rs").write_text("// use crate::Link;\npub struct Packet;\n")
    (tmp_path / "link.rs").write_text("mod pipe;\nuse crate::packet::Packet;\npub struct Link;\n")
    (tmp_path / "link" / "pipe.rs").write_text(
        "use super::*;\n#[cfg(test)]\nmod tests {\n use crate::Link;\n}\n"
    )
    assert circles(Crate(tmp_path).imports()) == []
    (tmp_path / "packet.rs").write_text("use crate::{Link, other::{a, b as c}};\npub struct Packet;\n")
    assert circles(Crate(tmp_path).imports()) == [[("link",), ("packet",)]]
    (tmp_path / "packet.rs").write_text("fn drop(link: &crate::link::Link) {}\n")
    assert circles(Crate(tmp_path).imports()) == [[("link",), ("packet",)]]


def test_a_child_that_its_parent_uses_by_path_is_an_import(tmp_path: Path) -> None:
    (tmp_path / "link").mkdir()
    (tmp_path / "lib.rs").write_text("mod link;\n")
    (tmp_path / "link.rs").write_text("mod pipe;\npub struct Link { pipe: pipe::Pipe }\n")
    (tmp_path / "link" / "pipe.rs").write_text("use super::Link;\npub struct Pipe;\n")
    assert circles(Crate(tmp_path).imports()) == [[("link",), ("link", "pipe")]]
    (tmp_path / "link.rs").write_text("mod pipe;\npub struct Link;\n")
    assert circles(Crate(tmp_path).imports()) == []


def test_python_folders_import_only_what_they_may() -> None:
    for folder, allowed in PYTHON.items():
        for path in python_files(folder):
            for line, module, _ in imports(path):
                root = module.split(".")[0]
                assert root not in OURS - allowed, (
                    f"{path.relative_to(REPOSITORY)}:{line}: {folder}/ must not import {root}"
                )


def test_reference_needs_nothing_but_python() -> None:
    for path in python_files("reference"):
        for line, module, _ in imports(path):
            root = module.split(".")[0]
            assert root == "reference" or root in sys.stdlib_module_names, (
                f"{path.relative_to(REPOSITORY)}:{line}: {root} is not in the standard library"
            )


@pytest.mark.parametrize("folder", ["papers", "verification", "benches"])
def test_users_of_the_package_keep_to_its_public_part(folder: str) -> None:
    for path in python_files(folder):
        for line, module, names in imports(path):
            if module.split(".")[0] == "ackclock":
                private = [part for part in (*module.split("."), *names) if part.startswith("_")]
                assert not private, f"{path.relative_to(REPOSITORY)}:{line}: {private[0]} is not public"


def test_papers_use_what_is_public_alone() -> None:
    """A name of `ackclock`, or one that a public module has in its `__all__`."""
    public = set(dir(ackclock))
    for path in python_files("papers"):
        for line, module, names in imports(path):
            root, _, inside = module.partition(".")
            if root != "ackclock":
                continue
            at = f"{path.relative_to(REPOSITORY)}:{line}"
            assert not inside or inside.split(".")[0] in public, f"{at}: {module} is not public"
            offered = public if not inside else getattr(importlib.import_module(module), "__all__", ())
            for name in names:
                assert name in offered or is_module(f"{module}.{name}"), (
                    f"{at}: {module}.{name} is not public"
                )


def is_module(name: str) -> bool:
    """True for a module of the package."""
    path = REPOSITORY.joinpath("python", *name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_public_modules_are_documented() -> None:
    page = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")
    listed = page[: page.index("\n## ")]
    for name in set(dir(ackclock)) - set(ackclock.__all__):
        assert f"`ackclock.{name}`" in listed, f"docs/api.md: name the module ackclock.{name} at its head"


def length_and_head(path: Path) -> tuple[int, str]:
    """The number of lines of a file, without the rows of tables, which are data; and its first lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    counted = [line for line in lines if not (path.suffix == ".md" and line.startswith("|"))]
    return len(counted), "\n".join(lines[:HEAD])


def test_a_long_file_says_at_its_head_why() -> None:
    report = subprocess.run(
        ["git", "ls-files", "-z", "--", "*.rs", "*.py", "*.pyi", "*.md", "Makefile"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    names = [name for name in report.stdout.split("\0") if name and (REPOSITORY / name).is_file()]
    assert names, "git lists no files"
    found = {name: length_and_head(REPOSITORY / name) for name in names}
    too_long = {name: length for name, (length, _) in found.items() if length > LONGEST_FILE}
    assert not too_long, f"longer than {LONGEST_FILE} lines, which no single owner needs: {too_long}"
    silent = {
        name: length for name, (length, head) in found.items() if length > LONG_FILE and REASON not in head
    }
    assert not silent, (
        f"longer than {LONG_FILE} lines: give each thing a file of its own, or say in the first {HEAD} lines "
        f'"{REASON}..." ({silent})'
    )


def test_every_version_is_the_same() -> None:
    report = (REPOSITORY / "Cargo.toml").read_text(encoding="utf-8")
    version = next(line.split('"')[1] for line in report.splitlines() if line.startswith("version = "))
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    changes = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {version}\n" in citation
    assert f"## {version}" in changes


def test_no_program_listens_on_all_addresses() -> None:
    everywhere = re.compile(r"0\.0\.0\.0|UNSPECIFIED|INADDR_ANY|\[::\]:|\"::\"")
    files = [*REPOSITORY.glob("crates/*/src/**/*.rs"), *REPOSITORY.glob("python/**/*.py")]
    assert [path for path in files if everywhere.search(path.read_text(encoding="utf-8"))] == []
