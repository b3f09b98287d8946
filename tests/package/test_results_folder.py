"""Results folders: nothing of the user's is lost, and a crash leaves the old results or the new ones."""

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock import atomic, interrupts
from ackclock.errors import DrawingWarning
from ackclock.results_folder import ResultsFolder

KINDS = ("run", "comparison")
SMALL = {
    "name": "small",
    "duration": "2 s",
    "topology": {
        "dumbbell": {
            "pairs": 1,
            "bottleneck": {"rate": "1 Mbit/s", "delay": "5 ms", "buffer": "9 packets"},
            "access": {"rate": "10 Mbit/s", "delay": "1 ms"},
        }
    },
    "flow": [{"name": "bulk"}],
}


def save(target: Path, text: str = "new", what: str = "run", **more: str) -> Path:
    with ResultsFolder(target, KINDS) as folder:
        folder.write_json("provenance.json", {"program": "ackclock", "result": {"what": what}})
        for name, content in {"text": text, **more}.items():
            folder.write_text(f"tables/{name}.txt", content)
        return folder.commit()


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_every_file_is_listed_with_its_checksum(tmp_path: Path) -> None:
    target = save(tmp_path / "results")
    listed = dict(line.split("  ")[::-1] for line in (target / "SHA256SUMS").read_text().splitlines())
    assert {*listed, "SHA256SUMS"} == names(target) == {"SHA256SUMS", "provenance.json", "tables/text.txt"}
    for name, digest in listed.items():
        assert hashlib.sha256((target / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("name", ["notes.txt", "tables/mine.parquet"])
def test_a_users_own_file_is_never_replaced(tmp_path: Path, name: str) -> None:
    target = save(tmp_path / "results", "old")
    (target / name).write_text("mine")
    with pytest.raises(ackclock.OutputError, match=f"did not write \\({name}\\)"):
        save(target)
    assert (target / name).read_text() == "mine"
    assert (target / "tables/text.txt").read_text() == "old"
    assert not hidden(tmp_path)


def test_a_users_file_that_comes_meanwhile_is_kept(tmp_path: Path) -> None:
    target = save(tmp_path / "results", "old")
    with ResultsFolder(target, KINDS) as folder:
        (target / "notes.txt").write_text("mine")
        folder.write_json("provenance.json", {"program": "ackclock", "result": {"what": "run"}})
        with pytest.warns(UserWarning, match="they are in"):
            folder.commit()
    (kept,) = tmp_path.glob("results-*")
    assert (kept / "notes.txt").read_text() == "mine"
    assert names(target) == {"SHA256SUMS", "provenance.json"}


def test_results_of_another_command_are_not_replaced(tmp_path: Path) -> None:
    target = save(tmp_path / "results", what="reproduction")
    with pytest.raises(ackclock.OutputError, match=r"files of another command \(reproduction"):
        save(target)


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "tables/../../out.txt", "a\nb"])  # noqa: S108
def test_no_file_is_written_outside(tmp_path: Path, name: str) -> None:
    with (
        ResultsFolder(tmp_path / "results", KINDS) as folder,
        pytest.raises(ackclock.InputError, match="no name for a file"),
    ):
        folder.write_text(name, "")
    assert not list(tmp_path.iterdir())


# Kills itself where the test says, as a power cut would.
DYING = """
import os, signal, sys
from pathlib import Path
from ackclock import atomic
from ackclock.results_folder import ResultsFolder
target, step, exchanges = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "exchange"
steps = 0
def dying(original):
    def renamed(self, other):
        global steps
        if "partial" in self.name or "partial" in str(other) or self == target:
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)
            steps += 1
        return original(self, other)
    return renamed
Path.rename = dying(Path.rename)
if exchanges:
    whole = atomic._exchange
    def exchanged(first, second):
        global steps
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)
        done = whole(first, second)
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    atomic._exchange = exchanged
else:
    atomic._exchange = lambda first, second: False
with ResultsFolder(target, ("run",)) as folder:
    folder.write_json("provenance.json", {"program": "ackclock", "result": {"what": "run"}})
    folder.write_text("tables/text.txt", "new")
    folder.commit()
"""


@pytest.mark.parametrize("manner", ["exchange", "two renames"])
@pytest.mark.parametrize("step", range(4))
def test_a_death_at_any_step_leaves_a_whole_result(tmp_path: Path, manner: str, step: int) -> None:
    target = save(tmp_path / "results", "old")
    done = subprocess.run([sys.executable, "-c", DYING, str(target), str(step), manner], check=False)
    if manner == "exchange":
        assert target.is_dir()
    assert done.returncode in (0, -signal.SIGKILL)
    with ResultsFolder(target, KINDS):  # clears away, and puts back what the dead process left nowhere
        assert (target / "tables/text.txt").read_text() in ("old", "new")
        assert names(target) == {"SHA256SUMS", "provenance.json", "tables/text.txt"}
    assert not hidden(tmp_path)


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path / "results", KINDS) as first:
        first.write_json("provenance.json", {"program": "ackclock", "result": {"what": "run"}})
        save(tmp_path / "results", "second")
        first.write_text("tables/text.txt", "first")
        first.commit()
    assert (tmp_path / "results/tables/text.txt").read_text() == "first"
    assert not hidden(tmp_path)


def test_what_is_added_later_stands_beside_what_was_there(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path / "results", KINDS) as folder:
        folder.write_json("provenance.json", {"program": "ackclock", "result": {"what": "run"}})
        target = folder.commit()
        folder.write_text("report.html", "drawn")
        folder.commit()
        folder.write_text("figures/unfinished.svg", "")
    assert names(target) == {"SHA256SUMS", "provenance.json", "report.html"}
    save(target)
    assert names(target) == {"SHA256SUMS", "provenance.json", "tables/text.txt"}


def test_pictures_are_not_added_to_what_another_process_wrote(tmp_path: Path) -> None:
    with ResultsFolder(tmp_path / "results", KINDS) as first:
        first.write_json("provenance.json", {"program": "ackclock", "result": {"what": "run"}})
        target = first.commit()
        save(target)
        first.write_text("report.html", "of the first")
        with pytest.raises(ackclock.OutputError, match="another process has replaced"):
            first.commit()
    assert "report.html" not in names(target)


def test_shared_folders_keep_what_is_not_theirs(tmp_path: Path) -> None:
    def update(*files: str) -> None:
        with ResultsFolder(tmp_path, ("sweep",), shared=True) as folder:
            folder.write_json("provenance.json", {"program": "ackclock", "result": {"what": "sweep"}})
            for name in files:
                folder.write_text(name, "ours")
            folder.commit()

    (tmp_path / "store").mkdir()
    (tmp_path / "store/rows").write_text("rows")
    update("scenarios/0.toml", "scenarios/1.toml")
    (tmp_path / "notes.txt").write_text("mine")
    update("scenarios/0.toml")
    assert names(tmp_path) == {"SHA256SUMS", "provenance.json", "scenarios/0.toml", "store/rows", "notes.txt"}
    with pytest.raises(ackclock.OutputError, match=r"notes\.txt: this file is not what Ackclock wrote"):
        update("notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ackclock.OutputError, match="cannot write results here: No space left on device"):
        save(tmp_path / "results")
    assert not list(tmp_path.iterdir())


def test_a_read_only_disk_is_one_sentence(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    target = save(disk / "results", "old")
    # Permissions do not hold root off; a mount that is read-only does.
    mount = [["mount", "--bind", str(disk), str(disk)], ["mount", "-o", "remount,ro,bind", str(disk)]]
    try:
        if any(subprocess.run(step, capture_output=True, check=False).returncode for step in mount):
            pytest.skip("only root can mount a folder read-only")
        for place in (target, disk / "others" / "results"):
            with pytest.raises(
                ackclock.OutputError, match="cannot write results here: Read-only file system"
            ):
                save(place)
        assert (target / "tables" / "text.txt").read_text() == "old"
    finally:
        subprocess.run(["umount", str(disk)], capture_output=True, check=False)
    assert [path.name for path in disk.iterdir()] == ["results"]


def test_a_file_system_without_locks_and_exchange_takes_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on network file systems: no lock is to be had, and two folders are not exchanged in one step."""

    def no_lock(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("ackclock.atomic.fcntl.flock", no_lock)
    monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    target = save(tmp_path / "results", "old")
    assert save(target) == target
    assert (target / "tables" / "text.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["results"], "nothing is left beside it"


def test_tables_are_saved_before_anything_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_comparison: object) -> str:
        raise ValueError("cannot draw [this]")

    result = ackclock.run(SMALL)
    monkeypatch.setattr("ackclock.report.page.render", fail)
    with pytest.warns(DrawingWarning, match=r"no report: cannot draw \[this\]; the tables are saved"):
        target = result.save(tmp_path / "results")
    assert "tables/flows.parquet" in names(target)
    assert "report.html" not in names(target)
    assert json.loads((target / "provenance.json").read_text())["result"]["what"] == "run"


@pytest.mark.parametrize(
    "settings",
    [
        {"trace.links": "false"},
        {"flow.0.name": "$\\frac{$"},
        {"flow.0.name": "x" * 100},
        {"title": "[/bold]"},
    ],
)
def test_odd_names_and_missing_series_are_drawn(tmp_path: Path, settings: dict[str, str]) -> None:
    for done in (
        ackclock.replicate(SMALL, settings=settings, series=True),
        ackclock.compare(["reno", "vegas"], SMALL, settings=settings, series=True),
    ):
        target = done.save(tmp_path / "results", figure_formats=["svg"])  # warnings are errors here
        assert {"report.html", "figures/drops.svg"} <= names(target)


def test_a_label_that_is_a_path_is_refused() -> None:
    with pytest.raises(ackclock.InputError, match=r'label "\.\./x".*plain name'):
        ackclock.compare({"../x": "reno"}, SMALL)


def test_signals_are_put_off_and_the_second_one_too() -> None:
    with interrupts.held() as came:
        signal.raise_signal(signal.SIGINT)
        with interrupts.held() as inner:
            signal.raise_signal(signal.SIGINT)
        assert inner is came
    assert came == [signal.SIGINT] * 2
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    atomic.write_file(tmp_path / "file", b"old")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        atomic.write_file(tmp_path / "file", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.parametrize("kind", ["a byte", "the end", "nothing left", "no list"])
def test_a_damaged_file_of_results_is_named_and_not_read(tmp_path: Path, kind: str) -> None:
    """Without the checksum, one damage in seventy of a table gave other numbers in silence."""
    folder = ackclock.run(SMALL).save(tmp_path / "results", report=False)
    files = ["provenance.json", "scenario.toml", "tables/flows.parquet", "tables/simulations.parquet"]
    for name in files:
        path = folder / name
        whole, listing = path.read_bytes(), (folder / "SHA256SUMS").read_bytes()
        if kind == "a byte":
            path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
        elif kind == "no list":
            (folder / "SHA256SUMS").unlink()
        else:
            path.write_bytes(b"" if kind == "nothing left" else whole[:-1])
        with pytest.raises(ackclock.InputError, match="SHA256SUMS") as error:
            ackclock.load(folder).results[0].flows  # noqa: B018 - tables are read on first access
        assert kind == "no list" or str(path) in str(error.value)
        path.write_bytes(whole)
        (folder / "SHA256SUMS").write_bytes(listing)
    assert ackclock.load(folder).results[0].flows.height == 1
