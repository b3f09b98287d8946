"""Suites of packetdrill scripts of others against `system = "linux"`: which pass, and why others do not.

`python -m verification.comparisons.packetdrill_suites NAME FOLDER` prints the table of a suite in a checkout;
`--publish` renews that of the documentation. The scripts themselves are under the GPL and are not published.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ackclock.packetdrill.scripts import FAILED, NOT_RUNNABLE, Outcome, find, run_script
from verification.comparisons.publication import parser, print_and_publish

HEADINGS = ["suite", "commit", "script", "verdict", "line", "cause"]

QUICK_ACK = "acknowledgments of the first data are delayed: quick acknowledgments are not modelled"
WHOLE_PACKETS = "CUBIC in real numbers by RFC 9438, where Linux counts whole packets"
CAUSES = {
    "blocking/blocking-read.pkt": QUICK_ACK,
    "close/close-on-syn-sent.pkt": "a connection closed in SYN-SENT is opened and closed by FIN, not reset",
    "close/close-remote-fin-then-close.pkt": "a closed connection answers nothing, where Linux resets",
    "cubic/cubic-bulk-166k-idle-restart.pkt": WHOLE_PACKETS,
    "cubic/cubic-bulk-166k.pkt": WHOLE_PACKETS,
    "cubic/cubic-rack-reo-timeout-retrans-failed-incoming-data.pkt": (
        "the window does not grow by what is selectively acknowledged while segments are merely reordered"
    ),
    "cubic/cubic-rto-ss-ca-cwnd-bump.pkt": WHOLE_PACKETS,
    "cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700.pkt": (
        "a mark lowers the window at once, without a proportional reduction"
    ),
    "fast_recovery/prr-ss-ack-below-snd_una-cubic.pkt": (
        "the last segment counts as lost by its time of sending; not understood"
    ),
    "fast_retransmit/fr-4pkt-fack-last-byte.pkt": (
        "a selective acknowledgment of a part of a segment counts as one of the whole"
    ),
    "fast_retransmit/fr-4pkt-fack-last-mss.pkt": (
        "the reordering timer expires after 27 ms, by source, and the script waits for 36 ms or more"
    ),
    "fastopen/server/opt34/pure-syn-data.pkt": "the sequence numbers of SYNs are not relative in the script",
    "fastopen/server/pure-syn-data.pkt": "the sequence numbers of SYNs are not relative in the script",
    "ioctl/ioctl-siocinq-fin.pkt": QUICK_ACK,
    "nagle/https_client.pkt": QUICK_ACK,
    "shutdown/shutdown-rd-wr-close.pkt": QUICK_ACK,
    "shutdown/shutdown-wr-close.pkt": QUICK_ACK,
    "shutdown/shutdown-rdwr-write-queue-close.pkt": "a FIN waits for room in the congestion window",
    "ts_recent/invalid_ack.pkt": "a FIN that acknowledges what was not sent is taken",
    "ts_recent/reset_tsval.pkt": QUICK_ACK,
    "slow_start/slow-start-fq-ack-per-2pkt.pkt": "the host's segmentation paces pairs of segments",
}
"""By script of Google's suite (`gtests/net/tcp`): why it fails."""

UNKNOWN = "not examined"


def row(name: str, commit: str, script: str, outcome: Outcome) -> list[str]:
    """The row of a script."""
    cause = outcome.reason if outcome.verdict == NOT_RUNNABLE else ""
    if outcome.verdict == FAILED:
        cause = CAUSES.get(script, UNKNOWN)
    return [name, commit, script, outcome.verdict, str(outcome.line or ""), cause]


def table(name: str, suite: Path) -> Iterator[list[str]]:
    """The rows of all scripts of a checkout."""
    done = subprocess.run(
        ["git", "-C", str(suite), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    commit = done.stdout.strip()[:12] if done.returncode == 0 else "unknown"
    yield HEADINGS
    for path in find([suite]):
        yield row(name, commit, path.relative_to(suite).as_posix(), run_script(path))


def main(arguments: Sequence[str]) -> int:
    """Prints the table of a suite, and publishes it if asked to."""
    options = parser("packetdrill_suites", __doc__)
    options.add_argument("name", help="the name of the suite, of which the table has its name")
    options.add_argument("suite", type=Path, help="the folder of a checkout")
    chosen = options.parse_args(arguments)
    print_and_publish("packetdrill", {chosen.name: table(chosen.name, chosen.suite)}, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
