"""QUIC stacks over UDP sockets in two processes, through an emulated link: the program ackclock-quic."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from ackclock.crosscheck import emulated, host
from ackclock.crosscheck.cases import Case
from ackclock.crosscheck.measurement import Measurement, loss_period
from ackclock.crosscheck.simulated import Simulated
from ackclock.errors import InputError

__all__ = ["Sockets"]

PROGRAM = "ackclock-quic"
PORT = 4433
PATIENCE_S = 10.0


class Sockets:
    """A QUIC stack over UDP sockets."""

    is_exact = False
    payload = 1440

    def __init__(self, stack: str) -> None:
        self.stack = stack
        self.name = f"{stack}, sockets"

    def lacks(self) -> str | None:
        """Programs and privileges."""
        return host.needs(emulated.PROGRAM, PROGRAM, "ip")

    def refuses(self, case: Case) -> str | None:
        """The reason why the stack cannot carry a case, the same as in virtual time."""
        return Simulated(self.stack).refuses(case)

    def measure(self, case: Case) -> Measurement:
        """Sends over a link of its own."""
        program = str(host.find(PROGRAM))
        common = ["--stack", self.stack, "--warm-up", f"{case.warm_up_s} s"]
        with emulated.link(case.bottleneck, calibrated=True) as link, tempfile.TemporaryDirectory() as folder:
            certificate = Path(folder) / "certificate.der"
            address = f"{emulated.ADDRESS}:{PORT}"
            shared = ["--certificate", str(certificate)]
            receive = [program, "receive", address, *shared, *common]
            send = [
                program, "send", address, *shared, *common, "--algorithm", case.algorithm,
                "--segments-per-ack", str(case.segments_per_ack), "--for", f"{case.duration_s} s",
            ]  # fmt: skip
            with host.running(host.within(link.far, receive)) as receiver:
                _wait_for(certificate)
                begun_s = link.age_s()
                with host.running(host.within(link.near, send)) as sender:
                    sent = json.loads(sender.output(case.duration_s + PATIENCE_S))
                received = json.loads(receiver.output(PATIENCE_S))
        return Measurement(
            float(received["goodput_bit_per_s"]),
            loss_period([at - begun_s for at in link.drops_s], case.warm_up_s),
            int(sent["lost"]),
            float(sent["mean_rtt_s"]),
            link.lateness_p99_s,
            link.on_time,
        )


def _wait_for(file: Path) -> None:
    """Waits until the receiver has written its certificate."""
    end = time.monotonic() + PATIENCE_S
    while not (file.is_file() and file.stat().st_size > 0):
        if time.monotonic() > end:
            raise InputError(f"{PROGRAM} receive has not come up in {PATIENCE_S:g} s")
        time.sleep(0.05)
