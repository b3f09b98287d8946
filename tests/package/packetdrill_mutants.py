"""Faults in the simulated TCP, one of each mechanism, which our scripts of packetdrill have to notice.

`python -m tests.package.packetdrill_mutants` builds each fault in a copy of the crates and runs the scripts;
`tests/package/test_packetdrill.py` holds that each fault still has its place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MUTANTS", "ROOT", "Mutant", "main"]

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests" / "packetdrill" / "linux"
TARGET = ROOT / "target" / "mutants"
"""Kept, so that only what a fault concerns is built again."""

TCP = "crates/ackclock-transport/src/tcp/"


@dataclass(frozen=True)
class Mutant:
    """A fault: in a file, one text in place of another."""

    mechanism: str
    fault: str
    file: str
    sound: str
    faulty: str


MUTANTS = (
    Mutant(
        "growth",
        "no growth where the window is not used in full",
        TCP + "sender/endpoint.rs",
        "latest.is_some_and(|latest| latest.may_grow(self.window.phase()))",
        "latest.is_some_and(|_| false)",
    ),
    Mutant(
        "timeout",
        "half of the least variation",
        TCP + "mechanism/rtt.rs",
        "MinBounds::Variation => settings.min,",
        "MinBounds::Variation => settings.min / 2,",
    ),
    Mutant(
        "loss probe",
        "2 ms after a lone segment, too",
        TCP + "recovery/rack.rs",
        "(LossProbeWait::Linux, true) => settings.rto.min,",
        "(LossProbeWait::Linux, true) => LEAST_TIMER,",
    ),
    Mutant(
        "proportional reduction",
        "one segment more at each acknowledgment",
        TCP + "recovery/reduction.rs",
        "+ i64::from(event.is_safe);",
        "+ i64::from(event.is_safe) + 1;",
    ),
    Mutant(
        "RACK",
        "a reordering window twice as long",
        TCP + "recovery/rack.rs",
        "(multiplied / 4)",
        "(multiplied / 2)",
    ),
    Mutant(
        "F-RTO",
        "no verdict",
        TCP + "mechanism/frto.rs",
        "        Verdict::Spurious\n    } else if evidence.duplicate",
        "        Verdict::Open\n    } else if evidence.duplicate",
    ),
    Mutant(
        "DSACK",
        "no report undoes an episode",
        TCP + "mechanism/dsack.rs",
        "        self.is_armed && self.unreported == 0\n",
        "        self.is_armed && self.unreported == 0 && end < start\n",
    ),
    Mutant(
        "HyStart",
        "no end of slow start",
        "crates/ackclock-congestion/src/slow_start/hystart_linux.rs",
        "            if self.found {\n",
        "            if self.found && window.cwnd < 0.0 {\n",
    ),
    Mutant(
        "ECN",
        "each echo reduces the window",
        TCP + "sender/signals.rs",
        "self.filter.admits(round) && self.ecn.is_new_signal(una)",
        "self.filter.admits(round) || self.ecn.is_new_signal(una) || una > 0",
    ),
    Mutant(
        "accurate ECN",
        "the mark that wraps the counter is not counted",
        TCP + "mechanism/accurate_ecn.rs",
        "u32::from(ace.wrapping_sub(self.count) & LARGEST)",
        "u32::from(ace.saturating_sub(self.count))",
    ),
    Mutant(
        "pacing",
        "the pace of congestion avoidance in slow start",
        TCP + "sender/pacing.rs",
        "const SLOW_START_GAIN: f64 = 2.0;",
        "const SLOW_START_GAIN: f64 = 1.2;",
    ),
    Mutant(
        "undo",
        "the threshold stays reduced",
        "crates/ackclock-congestion/src/windowed.rs",
        "Window { cwnd, ssthresh: before.window.ssthresh }",
        "Window { cwnd, ssthresh: self.window.ssthresh }",
    ),
)
"""One of each mechanism."""


def verdicts(crates: Path) -> dict[str, str]:
    """The verdict of each script on the crates in a folder. Raises OSError where they cannot be built."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET)}
    command = ["cargo", "build", "--quiet", "--locked", "-p", "ackclock-packetdrill", "--example", "run"]
    built = subprocess.run(command, cwd=crates, env=environment, capture_output=True, text=True, check=False)
    if built.returncode:
        raise OSError(f"the fault does not build: {built.stderr}")
    scripts = sorted(SCRIPTS.glob("*.pkt"))
    program = TARGET / "debug" / "examples" / "run"
    done = subprocess.run([program, "linux", *scripts], capture_output=True, text=True, check=True)
    found = (line.rpartition(".pkt: ") for line in done.stdout.splitlines() if ".pkt: " in line)
    return {Path(name).name: said for name, _, said in found}


def main(mechanisms: Sequence[str]) -> int:
    """Prints which scripts notice each fault, or those of the mechanisms named; 1 if none notices one."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
            shutil.copy2(ROOT / name, copy)
        for name in ("crates", "scenarios"):
            # Not with their times, by which cargo would take what it built of the last fault for theirs.
            shutil.copytree(ROOT / name, copy / name, copy_function=shutil.copy)
        wrong = [name for name, said in verdicts(copy).items() if said != "passed"]
        if wrong:
            print(f"without a fault these do not pass: {', '.join(wrong)}", file=sys.stderr)
            return 1
        for each in MUTANTS:
            if mechanisms and each.mechanism not in mechanisms:
                continue
            file = copy / each.file
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(each.sound, each.faulty), encoding="utf-8")
            noticing = [name for name, said in verdicts(copy).items() if said.startswith("failed")]
            file.write_text(text, encoding="utf-8")
            missed += not noticing
            print(f"{each.mechanism}: {each.fault}: {', '.join(noticing) or 'NO SCRIPT'}", flush=True)
    print(f"{missed} faults are noticed by no script")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
