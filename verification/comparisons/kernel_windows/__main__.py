"""One table of the same experiments with this machine's kernel and with `system = "linux"`.

`python -m verification kernel-windows` prints it; `--publish` renews the table of the documentation. The
peer is a program behind a device, which acknowledges each segment a round trip of 100 ms after it was
sent. It needs `/dev/net/tun` and a name space of its own, and takes two minutes of real time; where a
machine does not permit that, a message says so.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from verification.comparisons.kernel_windows.peer import MSS, Peer
from verification.comparisons.kernel_windows.stacks import Kernel, Simulated, Stack
from verification.comparisons.publication import ROOT, parser, print_and_publish

RTT_S = 0.1
ROUNDS = 20
"""Round trips of growth after a loss."""
RESPONSES, SIZES = 20, (6, 9, 10, 16)

INSIDE = "--inside"
"""The argument of the part that runs in the name space."""

Made = Callable[..., Stack]
Findings = dict[str, float]


def respond(stack: Stack, packets: int) -> None:
    """The application writes response after response, each when the one before is acknowledged."""
    for _ in range(RESPONSES):
        stack.write(packets)
        stack.run_until(stack.now_s + 1.2 * RTT_S)


def after_responses(made: Made) -> Findings:
    """The window and the timeout after paced responses of each size."""
    found = {}
    for packets in SIZES:
        stack = made(Peer(RTT_S))
        respond(stack, packets)
        found[f"window after {RESPONSES} responses of {packets} packets"] = stack.cwnd
        found[f"timeout after {RESPONSES} responses of {packets} packets, ms"] = 1e3 * stack.rto_s
        close(stack)
    return found


def after_death(made: Made) -> Findings:
    """The times of what is sent after the path has died under a response of ten packets, and of one."""
    found = {}
    for packets in (10, 1):
        stack = made(Peer(RTT_S))
        respond(stack, packets)
        stack.peer.is_dead = True
        before, begun = len(stack.peer.sent), stack.now_s
        stack.write(packets)
        stack.run_until(begun + 8.0)
        times = sorted({round(sent.at_s - begun, 4) for sent in stack.peer.sent[before:]})
        # Segments of one burst are sent within a millisecond or two.
        starts = [times[0], *(later for earlier, later in pairwise(times) if later - earlier > 0.02)]
        for number, at in enumerate(starts[1:6]):
            what = f"retransmission {number}" if number else "loss probe"
            found[f"{what} after the path died under {packets}, ms"] = 1e3 * at
        close(stack)
    return found


def after_loss(made: Made) -> Findings:
    """The window of each algorithm when a loss is repaired, and ten and twenty round trips later."""
    found = {}
    for avoidance in ("reno", "cubic"):
        stack = made(Peer(RTT_S), avoidance)
        stack.peer.loses = 1 + 30 * MSS
        stack.write(1500)
        # Flights of 10 and 20 packets, and a third whose first one is lost: four round trips repair it.
        for number, rounds in enumerate((4.5, ROUNDS / 2, ROUNDS / 2)):
            stack.run_until(stack.now_s + rounds * RTT_S)
            after = f"{number * ROUNDS // 2} round trips after the recovery"
            found[f"window of {avoidance} {after if number else 'after the recovery'}"] = stack.cwnd
        close(stack)
    return found


def close(stack: Stack) -> None:
    """Ends the connection of the kernel."""
    if isinstance(stack, Kernel):
        stack.close()


def findings(made: Made) -> Findings:
    """All experiments."""
    return after_responses(made) | after_death(made) | after_loss(made)


def of_kernel() -> Findings:
    """The experiments with the kernel, in a name space of their own.

    Raises:
        OSError: The machine does not permit that.
    """
    module = "verification.comparisons.kernel_windows"
    command = ["unshare", "--net", sys.executable, "-m", module, INSIDE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise OSError(said[-1])
    found: Findings = json.loads(done.stdout)
    return found


def table(kernel: Findings, ours: Findings) -> Iterator[list[str]]:
    """The rows of both stacks."""
    yield ["measured", f"Linux {platform.release()}", 'system = "linux"']
    for what, value in ours.items():
        yield [what, f"{kernel[what]:.0f}" if what in kernel else "", f"{value:.0f}"]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and publishes it if asked to."""
    if arguments == [INSIDE]:
        json.dump(findings(Kernel), sys.stdout)
        return 0
    chosen = parser("kernel_windows", __doc__).parse_args(arguments)
    if not Path("/dev/net/tun").exists():
        print("skipped: there is no /dev/net/tun", file=sys.stderr)
        return 0
    try:
        kernel = of_kernel()
    except OSError as reason:
        print(f"skipped: this machine does not permit a name space with a device: {reason}", file=sys.stderr)
        return 0
    ours = findings(Simulated)
    tables = {"windows": table(kernel, ours)}
    print_and_publish("kernel-windows", tables, chosen.publish, f"Linux {platform.release()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
