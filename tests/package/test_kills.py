"""Commands that are killed at any time (`kill -9`) and repeated write what an undisturbed one writes.

ACKCLOCK_KILLS=50 kills more of them.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

COUNT = int(os.environ.get("ACKCLOCK_KILLS", "4"))
PLAN = """
name = "kills"
scenario = "single-flow"
algorithms = ["reno", "cubic"]
seeds = 3
[settings]
duration = "20 s"
warm_up = "0 s"
[grid]
topology.dumbbell.bottleneck.buffer = ["5 packets", "20 packets"]
"""
CLAIMS = """
[paper]
key = "toy"
title = "On Halves"
authors = "A. Nonymous"
year = 1999
[[claim]]
id = "half"
class = "paper"
place = "V"
statement = "Half."
kind = "range"
expected = [0.0, 1e9]
why = "by definition"
"""
MEASURE = """
from ackclock.papers import Values

def measure(context):
    runs = context.replicate("single-flow", seeds=3, settings={"duration": "20 s", "warm_up": "0 s"})
    context.table("runs", runs.runs)
    return {"half": Values([float(rate) for rate in runs.runs["goodput_bit_per_s"]])}
"""
MACHINE = {"provenance.json", "SHA256SUMS", "report.html", "claims.json", "evaluation.json"}
"""The files that say how long it took, and the list of their checksums."""

OPTIONS = {
    "sweep": ["sweep", "plan.toml", "--no-report", "--workers", "1"],
    "evaluate": ["evaluate", "vegas", "--quick", "--only", "bufferbloat", "--seeds", "1", "--workers", "1"],
    "reproduce": ["reproduce", "toy", "--quick", "--workers", "1"],
    "attack": ["attack", "vegas", "--budget", "1 s", "--findings", "1", "--seeds", "2", "--workers", "1"],
    "cluster": ["sweep", "plan.toml", "--no-report"],
}


def begun(folder: Path, options: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ackclock", *options, "--output", "out"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def ended(process: subprocess.Popen[bytes]) -> None:
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said.decode()


def prepared(folder: Path) -> Path:
    folder.mkdir()
    (folder / "plan.toml").write_text(PLAN)
    (folder / "toy").mkdir()
    (folder / "toy" / "claims.toml").write_text(CLAIMS)
    (folder / "toy" / "reproduce.py").write_text(MEASURE)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """What is written, but for the store, whose files are made by what finished together."""
    found = (path for path in sorted((folder / "out").rglob("*")) if path.is_file())
    return {
        name: path.read_bytes()
        for path in found
        if (name := path.relative_to(folder / "out").as_posix()) not in MACHINE
        and not name.startswith("store/")
    }


@contextmanager
def scheduler() -> Iterator[str]:
    """A Dask scheduler, as a process of its own; its address."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    command += ["--host", "127.0.0.1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        yield next(line.split()[-1] for line in lines if "Scheduler at:" in line)
        process.kill()


def worker(address: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen([*command, "--no-dashboard"], stdout=quiet, stderr=quiet)


@pytest.mark.parametrize("kind", ["sweep", "evaluate", "reproduce", "attack"])
def test_a_killed_command_goes_on(kind: str, tmp_path: Path) -> None:
    straight = prepared(tmp_path / "straight")
    began = time.monotonic()
    ended(begun(straight, OPTIONS[kind]))
    took = time.monotonic() - began
    expected = files(straight)
    assert expected
    for number in range(max(1, COUNT // 4)):
        draw = random.Random(f"{kind} {number}")  # noqa: S311 - times, not secrets
        folder = prepared(tmp_path / str(number))
        for _ in range(draw.randrange(1, 3)):
            process = begun(folder, OPTIONS[kind])
            time.sleep(took * draw.uniform(0.3, 1.0))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        ended(begun(folder, OPTIONS[kind]))
        assert files(folder) == expected, f"kill {number}"
        assert not [path for path in folder.iterdir() if path.name.startswith(".")], "nothing is left"


def test_a_cluster_whose_workers_are_killed_writes_the_same(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    straight = prepared(tmp_path / "straight")
    ended(begun(straight, OPTIONS["sweep"]))
    expected = files(straight)
    with scheduler() as address:
        for number in range(max(1, COUNT // 4)):
            draw = random.Random(number)  # noqa: S311 - times, not secrets
            workers = [worker(address), worker(address)]
            folder = prepared(tmp_path / str(number))
            process = begun(folder, [*OPTIONS["cluster"], "--cluster", address])
            time.sleep(draw.uniform(2.0, 8.0))
            workers[0].kill()
            workers.append(worker(address))
            ended(process)
            for each in workers:
                each.kill()
                each.wait()
            assert files(folder) == expected, f"kill {number}"
