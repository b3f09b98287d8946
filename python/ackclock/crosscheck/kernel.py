"""The kernel's TCP through an emulated link, with its own controllers and with those of the registry."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ackclock.crosscheck import emulated, host
from ackclock.crosscheck.cases import Case
from ackclock.crosscheck.measurement import Measurement, loss_period
from ackclock.errors import InputError

__all__ = ["KernelsOwn", "OursInKernel"]

PROGRAM = "ackclock-kernel"
TRAFFIC = "iperf3"
PORT = 5202
PATIENCE_S = 15.0
PAYLOAD = 1448
"""Bytes in a packet of 1500 with TCP's timestamps, which Linux sends."""

OWN = {"reno(limit=inf)": "reno", "cubic": "cubic", "bbr1": "bbr", "htcp": "htcp", "vegas": "vegas"}
"""The kernel's algorithms by those of the registry. Its Reno lacks the limit of RFC 3465."""


class KernelsOwn:
    """The kernel's TCP with its own controller of the same algorithm."""

    name = "kernel, its own"
    payload = PAYLOAD
    is_exact = False

    def lacks(self) -> str | None:
        """Programs and privileges."""
        return host.needs(emulated.PROGRAM, TRAFFIC, "ip")

    def refuses(self, case: Case) -> str | None:
        """The features that the kernel lacks."""
        own = OWN.get(case.algorithm)
        if own is None:
            return f"the kernel has no {case.algorithm}"
        available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="utf-8")
        if own not in available.split():
            loaded = subprocess.run(["modprobe", f"tcp_{own}"], capture_output=True, check=False)
            if loaded.returncode != 0:
                return f"this kernel has no {own}"
        return _acknowledges(case)

    def measure(self, case: Case) -> Measurement:
        """Sends over a link of its own."""
        return _measure(case, OWN[case.algorithm])


class OursInKernel:
    """The kernel's TCP with the registry's controller, by ackclock-kernel."""

    name = "kernel, ours"
    payload = PAYLOAD
    is_exact = False
    _controller = "ack_crosscheck"

    def lacks(self) -> str | None:
        """Missing programs and privileges, and the requirements that ackclock-kernel itself finds missing."""
        missing = host.needs(emulated.PROGRAM, PROGRAM, TRAFFIC, "ip")
        if missing is not None:
            return missing
        checked = subprocess.run(
            [str(host.find(PROGRAM)), "check"], capture_output=True, text=True, check=False
        )
        return None if checked.returncode == 0 else (checked.stderr or checked.stdout).strip()

    def refuses(self, case: Case) -> str | None:
        """The kernel carries every case."""
        return _acknowledges(case)

    def measure(self, case: Case) -> Measurement:
        """Sends over a link of its own."""
        with self._registered(case.algorithm):
            return _measure(case, self._controller)

    @contextmanager
    def _registered(self, algorithm: str) -> Iterator[None]:
        program = [str(host.find(PROGRAM)), "run", algorithm, "--name", self._controller]
        with host.running(program) as process:
            process.come_up(self._controller)
            yield
            process.interrupt()


def _acknowledges(case: Case) -> str | None:
    """The kernel's receiver acknowledges every other packet."""
    return None if case.segments_per_ack == 2 else "the kernel's receiver acknowledges every other packet"


def _measure(case: Case, controller: str) -> Measurement:
    """Traffic of iperf3 with a controller of this name in the kernel."""
    with emulated.link(case.bottleneck) as link:
        for name_space in (link.near, link.far):
            subprocess.run(
                [
                    "ip",
                    "netns",
                    "exec",
                    name_space,
                    "sysctl",
                    "--quiet",
                    "--write",
                    "net.ipv4.tcp_no_metrics_save=1",
                ],
                check=True,
            )
        serve = [TRAFFIC, "--server", "--one-off", "--port", str(PORT)]
        send = [
            TRAFFIC, "--client", emulated.ADDRESS, "--port", str(PORT), "--congestion", controller, "--json",
            "--omit", str(case.warm_up_s), "--time", str(case.duration_s - case.warm_up_s),
        ]  # fmt: skip
        with host.running(host.within(link.far, serve)):
            _wait_for(link.far)
            begun_s = link.age_s()
            with host.running(host.within(link.near, send)) as sender:
                report = json.loads(sender.output(case.duration_s + PATIENCE_S))
    if "error" in report:
        raise InputError(f"{TRAFFIC}: {report['error']}")
    end = report["end"]
    return Measurement(
        float(end["sum_received"]["bits_per_second"]),
        loss_period([at - begun_s for at in link.drops_s], case.warm_up_s),
        int(end["sum_sent"]["retransmits"]),
        float(end["streams"][0]["sender"]["mean_rtt"]) * 1e-6,
        link.lateness_p99_s,
        link.on_time,
    )


def _wait_for(name_space: str) -> None:
    """Waits until the server listens."""
    command = ["ip", "netns", "exec", name_space, "ss", "--listening", "--tcp", "--numeric", "--no-header"]
    end = time.monotonic() + PATIENCE_S
    while f":{PORT}" not in subprocess.run(command, capture_output=True, text=True, check=True).stdout:
        if time.monotonic() > end:
            raise InputError(f"{TRAFFIC} has not come up in {PATIENCE_S:g} s")
        time.sleep(0.05)
