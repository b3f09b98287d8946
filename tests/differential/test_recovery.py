"""Every recovery of TCP's compiled sender against its plain-Python twin, over the same random networks.

Both senders are given the same acknowledgments and the same expiries of timers; a receiver and a path with
losses, reordering and changing delays make these of what they send. After every event they must have sent the
same segments, and have the same window, threshold, pipe and deadline.
"""

import heapq
import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, product, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import TcpSender, list_entries
from reference import Start, Windowed
from reference.avoidance.reno import Reno
from reference.recovery import RECOVERIES, Block, Phase, Sender, Settings
from reference.slow_start.standard import StandardSlowStart

EXAMPLES = 200
MSS = 1000
TOLERANCE = 1e-9
# No round numbers, so that no timer expires on a boundary by construction.
TRANSMISSION_NS = 1_000_003
ACK_DELAY_NS = 40_000_007
MOST_EVENTS = 1500
REPORTED_BLOCKS = 3
"""As many as a header with timestamps has room for."""

Fates = list[tuple[str, int]]
"""The fates of packets: runs of a number of packets with the same fate."""


def one_by_one(fates: Fates) -> chain[str]:
    """The fate of each packet; those after the last arrive."""
    return chain(chain.from_iterable(repeat(fate, count) for fate, count in fates), repeat("arrives"))


@dataclass(frozen=True)
class Path:
    """The fates of the segments sent."""

    delay_ns: int
    data: Fates
    acknowledgments: Fates
    segments_per_ack: int = 1
    writes: tuple[tuple[int, int], ...] = ()
    """After this many nanoseconds the application writes this many packets more."""


@dataclass
class Receiver:
    """RFC 2018 and RFC 5681, section 4.2, over numbered segments."""

    reports_duplicates: bool = False
    """RFC 2883."""
    next: int = 0
    arrived: set[int] = field(default_factory=set)
    recent: list[int] = field(default_factory=list)
    """Segments above ``next`` in the order of arrival, the latest first."""
    waiting: int = 0
    duplicate: int | None = None

    def on_segment(self, number: int, every: int) -> bool:
        """True if it is acknowledged at once: data out of order is, and data that fills a gap."""
        in_order = number == self.next and not self.recent
        if self.reports_duplicates and (number < self.next or number in self.recent):
            self.duplicate = number
        if number >= self.next:
            self.arrived.add(number)
            self.recent = [number, *(other for other in self.recent if other != number)]
        while self.next in self.arrived:
            self.next += 1
        self.recent = [other for other in self.recent if other >= self.next]
        self.waiting += 1
        return not in_order or self.waiting >= every

    def report(self) -> tuple[int, list[Block]]:
        """The next sequence number in order, and blocks of the data above: the latest arrival first."""
        self.waiting = 0
        blocks: list[Block] = []
        for number in self.recent:
            first, end = number, number + 1
            while first - 1 in self.recent:
                first -= 1
            while end in self.recent:
                end += 1
            if (first, end) not in blocks:
                blocks.append((first, end))
        if self.duplicate is not None:
            blocks.insert(0, (self.duplicate, self.duplicate + 1))
            self.duplicate = None
        return self.next, blocks[:REPORTED_BLOCKS]


class Pair:
    """Both senders, and the path between them and the receiver."""

    def __init__(
        self, name: str, path: Path, packets: int, initial_ssthresh: float, **options: float | bool | str
    ) -> None:
        least, window = int(options["min_rto_ns"]), float(options["initial_window"])
        limited, rearm = bool(options["limited_transmit"]), bool(options["rearm"])
        any_sample = bool(options["any_sample"])
        clear_after = int(options["clear_after"]) or None
        beyond, slack = str(options.get("beyond", "restart")), int(options.get("slack", 0))
        paced, dsack = bool(options.get("paced", False)), bool(options.get("dsack", False))
        frto, early = bool(options.get("frto", False)), bool(options.get("early", False))
        growth, prr = str(options.get("growth", "rate-limited")), str(options.get("prr", "rfc6937"))
        grows_at_end = bool(options.get("grows_at_end", False))
        reduces_window, again = bool(options.get("reduces_window", False)), bool(options.get("again", True))
        probes, variation = bool(options.get("probes", False)), bool(options.get("variation", False))
        adapts = bool(options.get("adapts", False))
        rack_rtt, by_sack = bool(options.get("rack_rtt", False)), bool(options.get("by_sack", False))
        self.compiled = TcpSender(
            f"{name}+standard+reno",
            packets=packets,
            segment_size=MSS,
            initial_window=window,
            initial_ssthresh=initial_ssthresh,
            rto_min_ns=least,
            segments_per_ack=path.segments_per_ack,
            ack_delay_ns=ACK_DELAY_NS,
            limited_transmit=limited,
            rearm_at_fast_retransmit=rearm,
            rto_backoff_until="any-sample" if any_sample else "new-data",
            rtt_clear_after=clear_after or 0,
            fast_retransmit_beyond=beyond,
            reordering_timer_slack_ns=slack,
            pacing="auto" if paced else "algorithm",
            dsack=dsack,
            frto=frto,
            early_retransmit=early,
            limited_growth=growth,
            proportional_rate=prr,
            growth_at_end_of_recovery=grows_at_end,
            reduction_base="window" if reduces_window else "flight",
            reduce_again=again,
            loss_probe_wait="linux" if probes else "rfc8985",
            rack_rtt="linux" if rack_rtt else "latest-sent",
            grow_by_sack=by_sack,
            adapt_loss_thresholds=adapts,
            rto_min_bounds="variation" if variation else "timeout",
        )
        controller = Windowed(
            StandardSlowStart(), Reno(), Start(initial_window=window, initial_ssthresh=initial_ssthresh)
        )
        delay = ACK_DELAY_NS if path.segments_per_ack > 1 else None
        self.twin: Sender = RECOVERIES[name](
            controller,
            Settings(
                packets,
                window,
                least,
                limited,
                delay,
                rearm,
                any_sample,
                clear_after,
                beyond,
                slack,
                paced,
                dsack,
                frto,
                early,
                limited_growth=growth,
                reduces_window=reduces_window,
                proportional_rate=prr,
                growth_at_end_of_recovery=grows_at_end,
                reduces_again=again,
                probes_as_linux=probes,
                rack_rtt_as_linux=rack_rtt,
                grows_by_sack=by_sack,
                adapts_loss_thresholds=adapts,
                least_variation=variation,
            ),
        )
        self.path = path
        self.receiver = Receiver(dsack)
        self.data, self.acknowledgments = one_by_one(path.data), one_by_one(path.acknowledgments)
        self.events: list[tuple[int, str, tuple[int, list[Block]]]] = []
        self.times: set[int] = set()
        self.free_at = 0
        self.ack_at = 0
        self.log: list[object] = []
        self.sent: set[int] = set()
        self.happened: Counter[str] = Counter()

    def run(self) -> None:
        """From the first segment to the last acknowledgment, or for this many events."""
        self.compiled.on_timer(0)
        self.compare(0, self.twin.start(0), "start")
        time = 0
        for after, packets in self.path.writes:
            time = self.at(time + after, "write", (packets, []))
        for _ in range(MOST_EVENTS):
            deadline = self.compiled.next_wake_ns
            if self.events and (deadline is None or self.events[0][0] < deadline):
                now, kind, (number, blocks) = heapq.heappop(self.events)
                if kind == "data":
                    self.arrive(now, number)
                elif kind == "delayed":
                    if self.receiver.waiting and now == self.ack_at:
                        self.acknowledge(now)
                elif kind == "write":
                    self.compiled.write(now, number)
                    self.compare(now, self.twin.write(now, number), f"write {number}")
                else:
                    self.on_ack(now, number, blocks)
            elif deadline is not None:
                self.compiled.on_timer(deadline)
                self.compare(deadline, self.twin.on_timer(deadline), "timer")
                self.happened["timer"] += 1
            else:
                break
        assert self.twin.high_ack <= self.receiver.next
        assert self.compiled.is_over == (self.twin.high_ack == self.twin.limit)

    def at(self, time: int, kind: str, what: tuple[int, list[Block]]) -> int:
        """Nothing happens at the same time as something else."""
        while time in self.times:
            time += 1
        self.times.add(time)
        heapq.heappush(self.events, (time, kind, what))
        return time

    def depart(self, now: int, number: int) -> None:
        """A segment goes through a bottleneck, and fares as the path says."""
        self.free_at = max(self.free_at, now) + TRANSMISSION_NS
        fate = next(self.data)
        self.happened[fate] += 1
        if fate == "lost":
            return
        delay = self.path.delay_ns
        if fate == "late":
            # Later than some that are sent after it, but hardly later than a reordering window.
            delay += delay // 5
        elif fate == "slow":
            delay *= 6
        self.at(self.free_at + delay, "data", (number, []))
        if fate == "twice":
            self.at(self.free_at + delay + TRANSMISSION_NS // 2, "data", (number, []))

    def arrive(self, now: int, number: int) -> None:
        if self.receiver.on_segment(number, self.path.segments_per_ack):
            self.acknowledge(now)
        else:
            self.ack_at = self.at(now + ACK_DELAY_NS, "delayed", (0, []))

    def acknowledge(self, now: int) -> None:
        fate = next(self.acknowledgments)
        report = self.receiver.report()
        if fate != "lost":
            delay = self.path.delay_ns // 2 if fate == "late" else 0
            self.at(now + self.path.delay_ns + delay, "ack", report)

    def on_ack(self, now: int, high_ack: int, blocks: list[Block]) -> None:
        if not self.twin.uses_sack:
            blocks = []
        octets = [(1 + first * MSS, 1 + end * MSS) for first, end in blocks]
        self.compiled.on_segment(now, 1 + high_ack * MSS, octets)
        self.compare(now, self.twin.on_ack(now, high_ack, blocks), ("ack", high_ack, blocks))

    def compare(self, now: int, numbers: list[int], event: object) -> None:
        """Both have sent the same, and think the same; what they sent is under way."""
        segments = list(iter(lambda: self.compiled.poll_transmit(now), None))
        compiled, twin = self.compiled, self.twin
        found = (
            [(sequence - 1) / MSS for sequence, _ in segments],
            compiled.next_wake_ns,
            compiled.in_flight,
        )
        expected = (numbers, twin.deadline, twin.in_network)
        windows = (compiled.cwnd, twin.controller.cwnd), (compiled.ssthresh, twin.controller.window.ssthresh)
        self.log.append((now, event, twin.phase.value, expected, windows))
        assert found == expected, f"compiled {found}, reference {expected} after\n{self.history()}"
        for window, other in windows:
            assert math.isclose(window, other, rel_tol=TOLERANCE), (
                f"compiled {windows} after\n{self.history()}"
            )
        self.happened[twin.phase.value] += 1
        for number in numbers:
            self.happened["again" if number in self.sent else "new"] += 1
            self.sent.add(number)
            self.depart(now, number)

    def history(self) -> str:
        """The last events, with what the reference sent and both had after each."""
        return "\n".join(map(str, self.log[-40:]))


def fates(*names: str, troubles: int) -> st.SearchStrategy[Fates]:
    """Packets arrive, until one or a few do not; and so on."""
    trouble = st.tuples(st.integers(1, 25), st.sampled_from(names), st.integers(1, 5))
    return st.lists(trouble, max_size=troubles).map(
        lambda all_of_them: [
            run for good, name, bad in all_of_them for run in (("arrives", good), (name, bad))
        ]
    )


pauses = st.integers(1, 3_000_000_000) | st.just(310_000_000_019)
"""Nanoseconds between writes. A window that is not used for five minutes is reduced (RFC 7661, 4.4.3)."""


@st.composite
def pairs(draw: st.DrawFn, name: str, *data: str) -> Pair:
    """Two senders of that recovery over a random path."""
    path = Path(
        delay_ns=draw(st.sampled_from([5_000_011, 24_999_853, 150_000_007])),
        data=draw(fates("lost", *data, troubles=15)),
        acknowledgments=draw(st.just([]) | fates("lost", "late", troubles=15)),
        segments_per_ack=draw(st.sampled_from([1, 1, 2])),
        writes=tuple(draw(st.lists(st.tuples(pauses, st.integers(1, 20)), max_size=8))),
    )
    return Pair(
        name,
        path,
        packets=draw(st.integers(1, 10) | st.integers(60, 120)),
        initial_ssthresh=draw(st.sampled_from([math.inf, 2.0, 8.0, 20.0])),
        min_rto_ns=draw(st.sampled_from([1_000_000_000, 200_000_000, 1_000_000])),
        initial_window=draw(st.sampled_from([1.0, 2.0, 4.0, 10.0])),
        limited_transmit=draw(st.booleans()),
        rearm=draw(st.booleans()),
        any_sample=draw(st.booleans()),
        clear_after=draw(st.sampled_from([0, 1, 2, 4])),
        beyond=draw(st.sampled_from(["nothing", "restart", "recover"])),
        slack=draw(st.sampled_from([0, 2_000_000])),
        growth=draw(st.sampled_from(["rate-limited", "linux", "window", "rfc7661"])),
        prr=draw(st.sampled_from(["rfc6937", "rfc9937", "linux"])),
        grows_at_end=draw(st.booleans()),
        reduces_window=draw(st.booleans()),
        again=draw(st.booleans()),
        probes=draw(st.booleans()),
        rack_rtt=draw(st.booleans()),
        by_sack=draw(st.booleans()),
        adapts=draw(st.booleans()),
        variation=draw(st.booleans()),
        paced=draw(st.booleans()),
        dsack=draw(st.booleans()),
        frto=draw(st.booleans()),
        early=draw(st.booleans()),
    )


@pytest.mark.parametrize("name", RECOVERIES)
def test_a_recovery_sends_what_its_twin_sends(name: str) -> None:
    """Losses of data, of retransmissions and of acknowledgments; timeouts; the ends of transfers."""
    happened: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES)
    @given(pairs(name))
    def drive(pair: Pair) -> None:
        pair.run()
        happened.update(pair.happened)

    drive()
    # Tahoe has no fast recovery, and only persistent congestion starts a sender of RFC 9002 again.
    rare = {"tahoe": Phase.RECOVERY, "rfc9002": Phase.RESTART}.get(name)
    phases = {phase.value for phase in Phase if phase is not rare}
    assert all(happened[what] > EXAMPLES for what in {"new", "again", "lost", "timer"} | phases), happened


@pytest.mark.parametrize("name", RECOVERIES)
def test_and_on_a_path_that_reorders_and_changes(name: str) -> None:
    """Segments that are late, far too late, or come twice: reordering windows, spurious timeouts."""

    @settings(max_examples=EXAMPLES)
    @given(pairs(name, "late", "slow", "twice"))
    def drive(pair: Pair) -> None:
        pair.run()

    drive()


RARE = {
    "losses after a restart are found when it is complete": (
        "sack",
        [("arrives", 1), ("lost", 10), ("arrives", 9), ("slow", 1), ("lost", 1)],
        [("arrives", 4), ("lost", 2)],
        (),
    ),
    "the second acknowledgment after a retransmission finds another late": (
        "vegas",
        [("arrives", 6), ("lost", 1), ("arrives", 11), ("lost", 2), ("arrives", 2), ("lost", 1)],
        [("arrives", 8), ("lost", 3)],
        (),
    ),
    "a probe repairs a loss, which is told when more is acknowledged": (
        "rack",
        [("arrives", 14), ("lost", 1)],
        [],
        ((1_500_000_007, 20),),
    ),
    "probes are lost for so long that congestion is persistent": (
        "rfc9002",
        [("arrives", 12), ("lost", 9), ("arrives", 8), ("lost", 1)],
        [],
        (),
    ),
}


@pytest.mark.parametrize("what", RARE)
def test_what_is_too_rare_to_be_met(what: str) -> None:
    name, data, acknowledgments, writes = RARE[what]
    for packets, least, delay in product((15, 30), (1_000_000, 200_000_000), (5_000_011, 24_999_853)):
        path = Path(delay, data, acknowledgments, 2, writes)
        options = {"min_rto_ns": least, "initial_window": 10.0, "limited_transmit": True}
        Pair(name, path, packets, 8.0, **options, rearm=False, any_sample=False, clear_after=0).run()


def test_every_recovery_has_a_twin() -> None:
    compiled = {str(entry["name"]) for entry in list_entries() if entry["kind"] == "recovery"}
    missing = sorted(compiled - RECOVERIES.keys())
    assert not missing, f"no class in reference/recovery/ and no line in its __init__.py for {missing}"
    assert RECOVERIES.keys() == compiled
