"""No command replaces or deletes a file that it did not write, nor one that somebody has changed since."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ackclock
from ackclock import cli
from ackclock.cli.app import COMMANDS
from ackclock.own_files import HOLE, is_sealed, sealed
from ackclock.results_folder import ResultsFolder
from ackclock.runs.result import KINDS
from ackclock.sweeps.store import Store

SCENARIO = """
name = "tiny"
duration = "1 s"
[topology.dumbbell]
bottleneck = { rate = "1 Mbit/s", delay = "10 ms", buffer = "10 packets" }
access = { rate = "10 Mbit/s", delay = "1 ms" }
[[flow]]
[trace]
interval = "100 ms"
"""

PACKAGE = Path(ackclock.__file__).parent

WRITERS = {
    # The one module that writes results of commands, and the ground that it stands on.
    "results_folder.py",
    "atomic.py",
    # Rows in files that are named by their contents.
    "sweeps/store.py",
    "crosscheck/store.py",
    # These ask `own_files` before they replace a file.
    "cli/commands/path.py",
    "cli/commands/results.py",
    "report/junit.py",
    "report/scenario_view.py",
    "sweeps/plan_files.py",
    # A board, which has a mark: another file is refused.
    "evaluation/competition.py",
    # A file that a call names in full.
    "gym/policy.py",
    "gym/onnx.py",
}

WRITING = {"write_bytes", "write_text", "write_file", "unlink", "rmtree", "rename", "rmdir", "touch"}
"""Calls that write, but for those on a `ResultsFolder`, which is called `folder` or `opened`."""


def writes(file: Path) -> list[int]:
    """The lines of calls that write, replace or delete files."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        on = getattr(getattr(node.func, "value", None), "id", "")
        modes = [each.value for each in node.args if isinstance(each, ast.Constant)]
        is_opened = name == "open" and any(
            isinstance(mode, str) and set(mode) & set("wax+") for mode in modes
        )
        if is_opened or (name in WRITING and on not in ("folder", "opened")):
            found.append(node.lineno)
    return found


def test_only_what_asks_writes() -> None:
    found = {file.relative_to(PACKAGE).as_posix(): writes(file) for file in sorted(PACKAGE.rglob("*.py"))}
    strangers = {name: lines for name, lines in found.items() if lines and name not in WRITERS}
    assert not strangers, "write by ResultsFolder, or ask own_files.refuse_foreign and name the module here"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    (tmp_path / "plan.toml").write_text('scenario = "tiny.toml"\nalgorithms = ["reno"]\n')

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["ackclock", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        code = end.value.code
        return code if isinstance(code, int) else 0, capsys.readouterr().err

    return run


Program = Callable[..., tuple[int, str]]

WRITTEN = {
    # A command, a folder of its results, and a file in it that people change.
    ("run", "tiny.toml", "--no-report"): ("results/tiny-run", "scenario.toml"),
    ("compare", "reno", "-s", "tiny.toml", "--no-report"): ("results/tiny-compare", "scenario.toml"),
    ("sweep", "plan.toml", "--no-report"): ("results/plan-sweep", "tables/runs.parquet"),
    ("figures", "results/tiny-run"): ("results/tiny-run", "figures/window.svg"),
    ("conform", "cubic", "--only", "reduction", "--seeds", "1", "--output", "judged"): (
        "judged",
        "conformance.md",
    ),
}

OTHERS = {
    # Commands whose results are written by ResultsFolder as those above, but cost more to make, and those
    # that write nothing.
    "evaluate", "coexist", "crosscheck", "reproduce", "playground", "digest", "list",
    "attack", "export", "har", "merge", "overlay", "pairings",
    "path",  # test_captured_path.py
    "results",  # below
    "packetdrill",  # below
    "competition",  # test_competition.py
}  # fmt: skip


def test_every_command_is_here() -> None:
    assert {words[0] for words in WRITTEN} | OTHERS == set(COMMANDS)


@pytest.mark.parametrize("words", WRITTEN, ids=lambda words: words[0])
def test_a_changed_or_foreign_file_is_never_replaced(
    program: Program, tmp_path: Path, words: tuple[str, ...]
) -> None:
    folder, name = WRITTEN[words]
    if words[0] == "figures":
        assert program("run", "tiny.toml", "--no-report")[0] == 0
    assert program(*words)[0] == 0
    place = tmp_path / folder
    assert program(*words)[0] == 0, "it replaces its own files"
    for changed in ((place / name).read_bytes() + b"\n# mine\n", b"mine"):
        (place / name).write_bytes(changed)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        code, said = program(*words)
        assert code == 2
        assert f"{name}: this file is not what Ackclock wrote and would be replaced" in said
        after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        assert after == before


def test_a_changed_file_of_replaced_results_is_kept(program: Program, tmp_path: Path) -> None:
    """Somebody edits a file while a command runs that replaces the results."""
    assert program("run", "tiny.toml", "--no-report")[0] == 0
    place = tmp_path / "results" / "tiny-run"
    with ResultsFolder(place, KINDS) as folder:
        folder.write_text("provenance.json", (place / "provenance.json").read_text())
        (place / "scenario.toml").write_text("mine")
        with pytest.warns(UserWarning, match="files that Ackclock did not write were in a folder"):
            folder.commit()
    kept = [path for path in tmp_path.glob("results/*/scenario.toml") if path.read_text() == "mine"]
    assert len(kept) == 1


def test_a_report_of_scripts_replaces_only_itself(program: Program, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing" / "no.pkt").write_text("no script")
    report = tmp_path / "report.xml"
    words = ("packetdrill", "nothing", "--junit", "report.xml")
    for _ in range(2):  # it replaces its own
        program(*words)
        assert is_sealed(report.read_bytes())
    report.write_bytes(b"mine")
    code, said = program(*words)
    assert code == 2
    assert "report.xml: this file is not what Ackclock wrote" in said
    assert report.read_bytes() == b"mine"


def test_a_figure_of_several_results_replaces_only_itself(program: Program, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert program("run", "tiny.toml", "--no-report", "-o", name)[0] == 0
    words = ("results", "one", "two", "--plot", "window", "--output", "window.svg")
    figure = tmp_path / "window.svg"
    for _ in range(2):  # it replaces its own
        assert program(*words) == (0, "")
        assert is_sealed(figure.read_bytes())
    figure.write_bytes(b"mine")
    code, said = program(*words)
    assert code == 2
    assert "window.svg: this file is not what Ackclock wrote" in said
    assert figure.read_bytes() == b"mine"


def test_a_store_touches_nothing_but_its_own_files(tmp_path: Path) -> None:
    own = {".download.partial": b"half", "notes.runs.zip": b"mine", "notes.txt": b"mine"}
    for name, data in own.items():
        (tmp_path / name).write_bytes(data)
    store = Store(tmp_path)
    assert store.keys() == set()
    store.tidy()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == own


def test_a_saved_scenario_or_plan_replaces_only_itself(tmp_path: Path) -> None:
    scenario = ackclock.load_scenario("single-flow")
    plan = ackclock.load_plan({"scenario": "single-flow", "algorithms": ["reno"]})
    for save, name in (
        (scenario.save, "single-flow.toml"),
        (plan.save, "plan.toml"),
        (plan.save, "scenario.toml"),
    ):
        save(tmp_path)
        save(tmp_path)
        file = tmp_path / name
        kept = file.read_bytes()
        file.write_bytes(kept + b"# mine\n")
        with pytest.raises(ackclock.OutputError, match=f"{name}: this file is not what Ackclock wrote"):
            save(tmp_path)
        assert file.read_bytes() == kept + b"# mine\n"
        file.write_bytes(kept)
    assert ackclock.load_scenario(tmp_path / "single-flow.toml") == scenario


def test_a_seal_tells_every_change() -> None:
    data = sealed(f"# {HOLE}\na = 1\n".encode())
    assert is_sealed(data)
    assert not is_sealed(data.replace(b"a = 1", b"a = 2"))
    assert not is_sealed(data + b" ")
    assert not is_sealed(b"a = 1\n")
