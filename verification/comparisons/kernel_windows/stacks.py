"""The examined TCPs: the sender of the simulator, and the kernel of this machine behind a device."""

from __future__ import annotations

import fcntl
import math
import os
import select
import socket
import struct
import subprocess
import time
from itertools import count
from typing import Protocol

from ackclock.packetdrill import TcpSender
from verification.comparisons.kernel_windows.peer import MSS, Acknowledgment, Peer, Sent

TCP_INFO_RTO = 8
TCP_INFO_WINDOWS = 80
"""The places of the timeout in microseconds and of the window in `tcp_info` (`include/uapi/linux/tcp.h`)."""

OURS, THEIRS, PORT = "10.77.1.1", "10.77.1.2", 5001
PORTS = count(40000)
"""Of the peer: one for each connection, since the kernel remembers those before."""

DEVICE = "windows0"

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000

FIN, SYN, ACK = 1, 2, 16


class Stack(Protocol):
    """A TCP that sends to a peer."""

    peer: Peer

    @property
    def now_s(self) -> float:
        """The time."""

    @property
    def cwnd(self) -> float:
        """The congestion window in segments."""

    @property
    def rto_s(self) -> float:
        """The retransmission timeout."""

    def write(self, packets: int) -> None:
        """The application writes full segments."""

    def run_until(self, until_s: float) -> None:
        """Lets time pass."""


class Simulated:
    """The sender of the simulator with the settings of a system."""

    def __init__(self, peer: Peer, avoidance: str = "cubic") -> None:
        self.peer = peer
        self._now_ns = 0
        algorithm = None if avoidance == "cubic" else f"rack+{avoidance}"
        self._sender = TcpSender.of_system("linux", packets=0, algorithm=algorithm)
        self._sender.on_timer(0)

    @property
    def now_s(self) -> float:
        """The time."""
        return self._now_ns / 1e9

    @property
    def cwnd(self) -> float:
        """The congestion window in segments."""
        return self._sender.info()["snd_cwnd"]

    @property
    def rto_s(self) -> float:
        """The retransmission timeout."""
        return self._sender.info()["rto"] / 1e6

    def write(self, packets: int) -> None:
        """The application writes full segments."""
        self._sender.write(self._now_ns, packets)
        self._transmit()

    def run_until(self, until_s: float) -> None:
        """Lets time pass."""
        while True:
            wake = self._sender.next_wake_ns
            times = [time for time in (self.peer.due_s, wake and wake / 1e9) if time is not None]
            at = min(times, default=math.inf)
            if at > until_s:
                break
            self._now_ns = max(self._now_ns, round(at * 1e9))
            if wake is not None and wake <= self._now_ns:
                self._sender.on_timer(self._now_ns)
            # As in the kernel, an acknowledgment is answered before the next one of the same instant is
            # taken: a window that the answer fills counts as used in full.
            while (told := self.peer.told(max(at, self.now_s))) is not None:
                self._sender.on_segment(self._now_ns, told.next, list(told.blocks))
                self._transmit()
            self._transmit()
        self._now_ns = max(self._now_ns, round(until_s * 1e9))

    def _transmit(self) -> None:
        while (segment := self._sender.poll_transmit(self._now_ns)) is not None:
            self.peer.take(Sent(self.now_s, *segment))


class Kernel:
    """The kernel's TCP, in the name space of this process, behind a device of this program."""

    def __init__(self, peer: Peer, avoidance: str = "cubic") -> None:
        self.peer = peer
        self._avoidance = avoidance
        self._device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self._device, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
        for command in (f"ip addr add {OURS}/24 dev {DEVICE}", f"ip link set {DEVICE} up"):
            subprocess.run(command.split(), check=True)
        self._begun = time.monotonic()
        self._port = next(PORTS)
        self._isn = 0
        self._socket = self._connect()

    def close(self) -> None:
        """Removes the device, and with it the connection."""
        self._socket.close()
        os.close(self._device)

    @property
    def now_s(self) -> float:
        """The time."""
        return time.monotonic() - self._begun

    def _info(self) -> bytes:
        return self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)

    @property
    def cwnd(self) -> float:
        """The congestion window in segments."""
        return float(struct.unpack_from("I", self._info(), TCP_INFO_WINDOWS)[0])

    @property
    def rto_s(self) -> float:
        """The retransmission timeout."""
        return float(struct.unpack_from("I", self._info(), TCP_INFO_RTO)[0]) / 1e6

    def write(self, packets: int) -> None:
        """The application writes full segments."""
        data = bytes(packets * MSS)
        while data:
            try:
                data = data[self._socket.send(data) :]
            except BlockingIOError:
                self.run_until(self.now_s + 0.01)
        self.run_until(self.now_s + 0.001)

    def run_until(self, until_s: float) -> None:
        """Carries segments until then."""
        while (now := self.now_s) < until_s:
            while (told := self.peer.told(now)) is not None:
                self._tell(told)
            due = self.peer.due_s
            wait = min(until_s, due if due is not None else until_s) - self.now_s
            if select.select([self._device], [], [], max(wait, 0.0))[0]:
                self._take(os.read(self._device, 65536))

    def _connect(self) -> socket.socket:
        """The connection that the peer opens, which takes a round trip."""
        with socket.socket() as listening:
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self._avoidance.encode())
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8_000_000)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((OURS, PORT))
            listening.listen(1)
            # A segment size of 1460 bytes, selective acknowledgments, timestamps, and windows in kB.
            options = struct.pack("!BBH BB BBII BBBB", 2, 4, 1460, 4, 2, 8, 10, 1, 0, 3, 3, 10, 0)
            self._send(SYN, 0, 0, options)
            answer = self._await_answer()
            self.run_until(self.now_s + self.peer.rtt_s)
            self._isn, timestamp = answer
            self._tell(Acknowledgment(self.now_s, 1, timestamp, ()))
            accepted, _ = listening.accept()
        accepted.setblocking(False)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return accepted

    def _await_answer(self) -> tuple[int, int]:
        """The sequence number and the timestamp of the SYN-ACK."""
        while True:
            if not select.select([self._device], [], [], 10.0)[0]:
                raise OSError("the kernel does not answer a SYN")
            packet = os.read(self._device, 65536)
            if is_tcp(packet) and packet[33] & SYN:
                return int(struct.unpack_from("!I", packet, 24)[0]), timestamp_of(packet)

    def _take(self, packet: bytes) -> None:
        # Connections before, of which the path has died, still repeat their data.
        if not is_tcp(packet) or struct.unpack_from("!H", packet, 22)[0] != self._port:
            return
        length = struct.unpack_from("!H", packet, 2)[0] - 20 - 4 * (packet[32] >> 4)
        if length > 0:
            sequence = (struct.unpack_from("!I", packet, 24)[0] - self._isn) % 2**32
            self.peer.take(Sent(self.now_s, sequence, length), timestamp_of(packet))

    def _tell(self, told: Acknowledgment) -> None:
        options = struct.pack("!BBBBII", 1, 1, 8, 10, int(self.now_s * 1000) + 2, told.echo)
        if told.blocks:
            edges = [(self._isn + edge) % 2**32 for block in told.blocks for edge in block]
            options += struct.pack(f"!BBBB{len(edges)}I", 1, 1, 5, 2 + 4 * len(edges), *edges)
        self._send(ACK, 1, (self._isn + told.next) % 2**32, options)

    def _send(self, flags: int, sequence: int, acknowledgment: int, options: bytes) -> None:
        """A segment without data to the kernel."""
        length = 20 + len(options)
        addresses = socket.inet_aton(THEIRS) + socket.inet_aton(OURS)
        fields = (self._port, PORT, sequence, acknowledgment, length // 4 << 4, flags, 65535)
        segment = struct.pack("!HHIIBBHHH", *fields, 0, 0) + options
        covered = addresses + struct.pack("!BBH", 0, socket.IPPROTO_TCP, length) + segment
        segment = segment[:16] + struct.pack("!H", checksum(covered)) + segment[18:]
        header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, socket.IPPROTO_TCP, 0) + addresses
        header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
        os.write(self._device, header + segment)


def is_tcp(packet: bytes) -> bool:
    """True for a segment of TCP over IPv4."""
    return packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP


def checksum(data: bytes) -> int:
    """The checksum of the internet protocols (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def timestamp_of(packet: bytes) -> int:
    """The timestamp of a segment, 0 without one."""
    options = packet[40 : 20 + 4 * (packet[32] >> 4)]
    while options and options[0]:
        if options[0] == 1:
            options = options[1:]
        elif options[0] == 8:
            return int(struct.unpack_from("!I", options, 2)[0])
        else:
            options = options[options[1] :]
    return 0
