"""Suites of packetdrill scripts of others against `system = "linux"`: which pass, and why others do not.

`python -m verification.comparisons.packetdrill_suites NAME FOLDER` prints the table of a suite in a checkout;
`--publish` renews that of the documentation. With `--program PACKETDRILL`, each script also runs on the
kernel of this machine, in a name space of its own, which takes root. The scripts themselves are under the
GPL and are not published.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ackclock.packetdrill.scripts import FAILED, NOT_RUNNABLE, PASSED, Outcome, find, run_script
from verification.comparisons.publication import parser, print_and_publish

HEADINGS = ["suite", "commit", "script", "verdict", "line", "cause"]

TOLERANCE_US = 14_000
"""The tolerance of the runner of the kernel's tests on slow machines. A kernel of 250 ticks per second, too,
fails with packetdrill's 4 ms."""

TRIES = 3
"""A script that fails on a busy machine is tried again."""

CAUSES = {
    "close/close-local-close-then-remote-fin.pkt": (
        "the acknowledgment of a FIN in TIME-WAIT has the counter of marks, as RFC 9768 demands; in Linux not"
    ),
    "cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700.pkt": (
        "5 packets may be in flight, as in Linux 6.18 by PRR with SafeACK; the script has 4, by older PRR"
    ),
    "shutdown/shutdown-rdwr-write-queue-close.pkt": "a FIN waits for room in the congestion window",
    "ts_recent/reset_tsval.pkt": "a FIN follows a close with data that was not read, where Linux resets",
}
"""By script of Google's suite (`gtests/net/tcp`) and of that on accurate ECN: why it fails."""

SIMULTANEOUS = "sequence number 1 instead of 0", "simultaneous opens are not modelled"
"""By what was seen: why scripts on accurate ECN fail."""

UNKNOWN = "not examined"


def on_kernel(path: Path, program: str) -> str:
    """The verdict of a script on the kernel of this machine."""
    command = ["unshare", "--net", program, f"--tolerance_usecs={TOLERANCE_US}", path.name]
    for _ in range(TRIES):
        try:
            done = subprocess.run(command, cwd=path.parent, capture_output=True, timeout=90, check=False)
        except subprocess.TimeoutExpired:
            continue
        if done.returncode == 0:
            return PASSED
    return FAILED


def row(name: str, commit: str, script: str, outcome: Outcome) -> list[str]:
    """The row of a script."""
    cause = outcome.reason if outcome.verdict == NOT_RUNNABLE else ""
    if outcome.verdict == FAILED:
        seen, simultaneous = SIMULTANEOUS
        cause = CAUSES.get(script) or (simultaneous if seen in outcome.seen else UNKNOWN)
    return [name, commit, script, outcome.verdict, str(outcome.line or ""), cause]


def table(name: str, suite: Path, program: str | None) -> Iterator[list[str]]:
    """The rows of all scripts of a checkout, and with a program their verdicts on the kernel."""
    done = subprocess.run(
        ["git", "-C", str(suite), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    commit = done.stdout.strip()[:12] if done.returncode == 0 else "unknown"
    yield [*HEADINGS, *([f"Linux {platform.release()}"] if program else [])]
    for path in find([suite]):
        outcome = run_script(path, tolerance_us=TOLERANCE_US)
        cells = row(name, commit, path.relative_to(suite).as_posix(), outcome)
        yield [*cells, *([on_kernel(path, program)] if program else [])]


def main(arguments: Sequence[str]) -> int:
    """Prints the table of a suite, and publishes it if asked to."""
    options = parser("packetdrill_suites", __doc__)
    options.add_argument("name", help="the name of the suite, of which the table has its name")
    options.add_argument("suite", type=Path, help="the folder of a checkout")
    options.add_argument("--program", help="a packetdrill that was built for the kernel of this machine")
    chosen = options.parse_args(arguments)
    tables = {chosen.name: table(chosen.name, chosen.suite, chosen.program)}
    print_and_publish("packetdrill", tables, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
