"""The compiled part of Ackclock, which reads and simulates scenarios; the package's functions call it.

Long because it is the stub of one module.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

__all__ = [
    "EVENTS",
    "FACTS",
    "NEEDS",
    "TCP_INFO_COLUMNS",
    "AckNakReceiver",
    "AckNakSender",
    "Controller",
    "MediaController",
    "RunOutput",
    "Scenario",
    "ScenarioError",
    "TcpReceiver",
    "TcpSender",
    "TfrcReceiver",
    "TfrcSender",
    "Worlds",
    "__version__",
    "list_entries",
    "parse_algorithm",
    "recovery_of",
    "run",
    "run_packetdrill",
    "uniform_numbers",
    "watch_signals",
]

__version__: str

FACTS: dict[str, tuple[str, list[tuple[str, str, str]]]]
"""The facts that controllers are told, by record: the record's meaning, then each fact's name, kind and
meaning.

A kind is "flag", "count", "packets", "seconds", "packets per second", the name of a record, or the texts that
a fact may have; "| None" follows where a fact may be absent.
"""

EVENTS: list[tuple[str, str, list[tuple[str, str, str]]]]
"""The methods of a controller that take other events, their meaning, and their arguments as in `FACTS`."""

NEEDS: list[tuple[str, str]]
"""The needs that a controller may state by an attribute, and their meaning; samples and pacing are always
available."""

class ScenarioError(ValueError):
    """An invalid scenario, or an invalid algorithm in it; the text is one complete message."""

    key: str | None
    found: str | None
    message: str
    nearest: str | None
    known: list[str]
    file: str | None

@final
class Scenario:
    """A valid, immutable description of one simulation."""

    @staticmethod
    def from_toml(
        text: str,
        custom: Sequence[str] = (),
        folder: str | os.PathLike[str] = "",
        within: str | os.PathLike[str] | None = None,
    ) -> Scenario:
        """Reads TOML; `custom` names the caller's own algorithms, `folder` holds the files that it refers to.

        With `within` all of these must lie below that folder. Raises ScenarioError.
        """
    @staticmethod
    def from_json(
        text: str,
        custom: Sequence[str] = (),
        folder: str | os.PathLike[str] = "",
        within: str | os.PathLike[str] | None = None,
    ) -> Scenario:
        """Reads JSON with the keys of TOML; the arguments are those of `from_toml`. Raises ScenarioError."""
    def to_json(self) -> str:
        """What was read, in its order, with the values that were set since; no defaults."""
    def to_toml(self) -> str:
        """What was read, in its order, with the values that were set since; no defaults."""
    def unrecorded(self, is_sampled: bool) -> list[str]:
        """The tables that a run of the scenario does not record, with or without time series."""
    def with_value(self, path: str, value: str) -> Scenario:
        """A copy with one value replaced, as `with_value("tcp.mss", "1000 bytes")`. Raises ScenarioError."""
    def with_values(
        self,
        values: Sequence[tuple[str, str]],
        folder: str | os.PathLike[str] = "",
        within: str | os.PathLike[str] | None = None,
    ) -> Scenario:
        """A copy with several values replaced, checked after the last; files as in `from_toml`.

        Raises ScenarioError.
        """
    def with_custom(self, names: Sequence[str]) -> Scenario:
        """A copy that may refer to these names of the caller's own algorithms."""
    @property
    def folder(self) -> Path:
        """The folder to which the scenario's paths are relative; empty for the working directory."""
    @property
    def within(self) -> Path | None:
        """The folder below which all files lie that it may name; None if its writer is trusted."""
    def algorithm_names(self) -> list[str]:
        """The algorithm of each TCP flow, without repetitions, in the order of the flows."""
    def media_names(self) -> list[str]:
        """The congestion controls of the calls, each once, in the order of the calls."""
    def stack_names(self) -> list[str]:
        """The QUIC stacks of the flows that do not use the simulator's TCP, without repetitions."""
    def drawn(self) -> list[tuple[str, str]]:
        """The values that the seed has drawn by the laws of `draw`, as (path, text)."""
    def sketch(
        self,
    ) -> tuple[list[tuple[str, str, float, float, str]], list[tuple[int, int, bool, list[str]]]]:
        """A drawing of the network: nodes as (name, role, x, y, note), links as (from, to, trunk, label)."""
    def plot(self, *, width: float | str | None = None) -> Figure:
        """The network as a matplotlib figure; `width` is in inches or a name, as "ieee-column"."""
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the scenario as TOML into a file, or as <name>.toml into a folder. Raises OutputError."""
    def to_latex(self) -> str:
        """The facts of the scenario as a `tabular` for LaTeX' package booktabs."""
    def to_pandas(self) -> Any:
        """The facts of the scenario as a pandas data frame.

        Raises InputError where pandas is not installed.
        """
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def warm_up_s(self) -> float: ...
    @property
    def flow_count(self) -> int: ...

@final
class RunOutput:
    """The output of one simulation: counters, tables as little-endian buffers, captures."""

    @property
    def events(self) -> int: ...
    @property
    def packets_delivered(self) -> int: ...
    @property
    def digest(self) -> int:
        """A number that runs with equal tables share; ask for it before a table is taken away."""

    @property
    def conserved(self) -> bool: ...
    @property
    def finished_at_s(self) -> float: ...
    @property
    def pcapng(self) -> dict[str, bytes]: ...
    @property
    def qlog(self) -> dict[str, bytes]: ...
    def take_table(self, name: str) -> list[tuple[str, str, bytes | tuple[list[str], bytes | None]]] | None:
        """Takes away a table's columns as (name, type, data); type is "f8", "u8", "u4" (buffers) or "str".

        None for a table that the scenario does not ask for.

        The data of "str" are names, and the buffer of each row's number among them ("u4"), or None if each
        row has a name of its own.
        """

TCP_INFO_COLUMNS: list[tuple[str, str, float]]
"""Linux' `tcp_info` without the prefix `tcpi_`: name, column of a run's series, and the kernel's units in one
of the column's."""

def parse_algorithm(spec: str, custom: Sequence[str] = ()) -> str:
    """The canonical form of an algorithm's name. Raises ScenarioError."""

def recovery_of(spec: str, custom: Sequence[str] = ()) -> str:
    """The recovery of an algorithm, or the transport that it has instead. Raises ScenarioError."""

def list_entries() -> list[dict[str, object]]:
    """Every entry of the catalogue, those of one kind together.

    name, kind, title, source, parameters (name, unit, default or None, min, max, meaning), table, keys (name,
    meaning, example, required).
    """

def run_packetdrill(
    script: str, tcp: str, tolerance_us: int, read: Callable[[str], str | None]
) -> tuple[str, int, str, str, list[str]]:
    """Runs a script of packetdrill with keys of `[tcp]` in JSON; `read` gives the text of a file it names.

    Returns its verdict ("passed", "failed" or "not runnable"), the line, what the script expects there or the
    reason why it is not run, what was seen, and the events around.
    """

def uniform_numbers(seed: int, name: str, count: int) -> list[float]:
    """The first numbers of the stream of this name in a run with this seed, uniform over [0, 1)."""

def run(
    scenario: Scenario,
    algorithms: dict[str, Callable[[], object]] | None = None,
    progress: Callable[[float], bool] | None = None,
    most_events: int | None = None,
) -> RunOutput:
    """Simulates. `progress` receives the simulated seconds done, and stops the run by returning False.

    A run that does the work of more than `most_events` events raises OverBudgetError: at the same place on
    every computer.
    """

def watch_signals() -> int | None:
    """Begins to end the program at a signal that a class of the user keeps the interpreter from handling.

    The descriptor for `signal.set_wakeup_fd`; none if the platform has no such thing.
    """

@final
class Controller:
    """One congestion controller by itself: facts in, a decision out.

    Windows are in packets, times in seconds.

    A wrong specification, and a call that breaks the contract between transport and controller, raise
    ValueError.
    """

    def __new__(
        cls, spec: str = "", initial_window: float = 10.0, initial_ssthresh: float = ...
    ) -> Controller: ...
    def on_ack(self, ack: object) -> None:
        """One arriving acknowledgment: anything with the attributes of `ackclock.Ack`."""
    def on_congestion(self, event: object) -> None:
        """The start of an episode: anything with the attributes of `ackclock.Congestion`."""
    def on_spurious(self) -> None:
        """The last episode was no congestion."""
    def on_idle_restart(self, restart_window: float) -> None:
        """The sender starts again after an idle time."""
    def on_not_validated(self, window: float, ssthresh: float) -> None:
        """The window was not validated (RFC 7661); both are in packets."""
    def on_deadline(self, now: float) -> None:
        """The time `wake` passed, in seconds."""
    def on_segment_size(self, from_bytes: int, to_bytes: int) -> None:
        """The size of segments changed; windows keep their bytes."""
    def observe(self) -> dict[str, float]:
        """Internal quantities by name."""
    def copy(self) -> Controller:
        """A copy with the whole state."""
    @property
    def spec(self) -> str: ...
    @property
    def cwnd(self) -> float: ...
    @property
    def ssthresh(self) -> float: ...
    @property
    def pacing_rate(self) -> float | None: ...
    @property
    def wake(self) -> float | None: ...

@final
class MediaController:
    """One congestion control for media by itself: facts in, a decision out.

    Rates are in bit/s, sizes in bytes, times in seconds. A decision is the target, the pacing rate and the
    window. A wrong specification and an empty report raise ValueError.
    """

    def __new__(cls, spec: str, start: object) -> MediaController: ...
    def on_report(self, report: object) -> tuple[float, float, float]:
        """Feedback: anything with the attributes of the reference's `MediaReport`."""
    def on_frame(self, frame: object) -> tuple[float, float, float]:
        """A frame: anything with the attributes of the reference's `MediaFrame`."""
    def decision(self) -> tuple[float, float, float]:
        """The decision in force."""

@final
class AckNakReceiver:
    """A receiver of the ACK/NAK transport by itself.

    A segment is a tuple: its kind ("syn", "syn-ack", "data", "ack", "nak"), its number, and the time at which
    the packet was sent, in nanoseconds.
    """

    def __new__(cls) -> AckNakReceiver: ...
    def on_segment(self, now_ns: int, kind: str, number: int, sent_at_ns: int) -> None:
        """Takes a segment that arrived. Raises ValueError for an unknown kind."""
    def poll_transmit(self, now_ns: int) -> tuple[str, int, int] | None:
        """The reply to send now, if there is one."""

@final
class AckNakSender:
    """The sender of an ACK/NAK flow by itself, which opens at time 0.

    Times are in nanoseconds, windows in packets; segments are those of a receiver. An invalid specification
    raises ValueError.
    """

    def __new__(
        cls,
        spec: str,
        *,
        round_trip_ns: int,
        initial_window: float = 2.0,
        initial_ssthresh: float = ...,
        packets: int | None = None,
        stop_ns: int | None = None,
    ) -> AckNakSender: ...
    def on_segment(self, now_ns: int, kind: str, number: int, sent_at_ns: int) -> None:
        """Takes a segment that arrived. Raises ValueError for an unknown kind."""
    def on_timer(self, now_ns: int) -> None:
        """Lets time pass."""
    def poll_transmit(self, now_ns: int) -> tuple[str, int, int] | None:
        """The segment to send now, if there is one."""
    @property
    def next_wake_ns(self) -> int | None: ...
    @property
    def cwnd(self) -> float: ...
    @property
    def ssthresh(self) -> float: ...
    @property
    def rto_ns(self) -> int: ...
    @property
    def delivered(self) -> int: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def has_failed(self) -> bool: ...

@final
class TcpReceiver:
    """TCP's receiver of an open connection by itself. Times are in nanoseconds.

    Sequence numbers count bytes, and the first has number 1. `settings` are those of `TcpSender`.
    """

    def __new__(
        cls,
        *,
        segment_size: int = 1460,
        receive_window: int = ...,
        initial_receive_window: int | None = None,
        accurate_ecn: bool = False,
        **settings: bool | int | str | None,
    ) -> TcpReceiver: ...
    def on_segment(
        self,
        now_ns: int,
        sequence: int,
        length: int,
        echo_us: int = 0,
        marked: bool = False,
        value_us: int | None = None,
    ) -> None:
        """A segment arrives with its timestamp, that of the moment if it is None, and the one it echoes."""
    def on_timer(self, now_ns: int) -> None:
        """Lets time pass."""
    def poll_transmit(self, now_ns: int) -> tuple[int, int, int] | None:
        """The acknowledgment to send now with its window and its field ACE, if there is one."""
    def take_byte_counters(self) -> tuple[int, int | None] | None:
        """The byte counters of the last acknowledgment, ECN-capable and marked, if it has the option."""
    @property
    def next_wake_ns(self) -> int | None: ...

@final
class TcpSender:
    """TCP's sender of an open connection by itself. Times are in nanoseconds, windows in packets.

    Sequence numbers count bytes, and the first has number 1. `settings` are keys of the table `[tcp]`: spans
    of time in nanoseconds, as `rto_min_ns`, and rates as `read_rate_bit_per_s`. Acknowledgments are not
    delayed, and the reordering timer follows RFC 8985, unless a setting says otherwise. A wrong variant or
    name raises ValueError, an unknown setting TypeError.
    """

    def __new__(
        cls,
        variant: str,
        *,
        packets: int | None = None,
        segment_size: int = 1460,
        initial_window: float = 10.0,
        initial_ssthresh: float = ...,
        receive_window: int = ...,
        rearm_at_fast_retransmit: bool = False,
        **settings: bool | int | str | None,
    ) -> TcpSender: ...
    @staticmethod
    def of_system(system: str, *, packets: int | None = None, algorithm: str | None = None) -> TcpSender:
        """A sender with the settings of a system, without timestamps, and perhaps another algorithm."""
    def on_segment(
        self,
        now_ns: int,
        acknowledgment: int,
        blocks: Sequence[tuple[int, int]] = ...,
        window: int = ...,
    ) -> None:
        """An acknowledgment arrives, with selective acknowledgments [start, end), the latest first."""
    @property
    def is_waiting_for_window(self) -> bool: ...
    def info(self) -> dict[str, int]:
        """Its state by the names of Linux' tcp_info, without their prefix; times are in microseconds."""
    def write(self, now_ns: int, packets: int) -> None:
        """The application writes more packets."""
    def on_timer(self, now_ns: int) -> None:
        """Lets time pass."""
    def poll_transmit(self, now_ns: int) -> tuple[int, int] | None:
        """First sequence number and length of the segment to send now, if there is one."""
    @property
    def next_wake_ns(self) -> int | None: ...
    @property
    def cwnd(self) -> float: ...
    @property
    def ssthresh(self) -> float: ...
    @property
    def in_flight(self) -> int: ...
    @property
    def is_over(self) -> bool: ...

@final
class TfrcReceiver:
    """A TFRC receiver by itself. Times are in nanoseconds, rates in bytes per second.

    A wrong specification raises ValueError.
    """

    def __new__(cls, spec: str = "tfrc", segment_size: int = 1460) -> TfrcReceiver: ...
    def on_segment(
        self, *, now_ns: int, sequence: int, timestamp_ns: int, rtt_ns: int, marked: bool = False
    ) -> None:
        """A data packet arrives; rtt_ns is the sender's round-trip time, 0 before it has one."""
    def on_timer(self, now_ns: int) -> None:
        """Lets time pass."""
    def poll_transmit(self, now_ns: int) -> tuple[int, int, float, float] | None:
        """Timestamp, delay, receive rate and loss event rate, if feedback is due."""
    @property
    def next_wake_ns(self) -> int | None: ...
    @property
    def loss_event_rate(self) -> float: ...

@final
class TfrcSender:
    """A TFRC sender by itself, which always has data unless `packets` limits it.

    Times are in nanoseconds, rates in bytes per second. A wrong specification raises ValueError.
    """

    def __new__(
        cls, spec: str = "tfrc", segment_size: int = 1460, packets: int | None = None
    ) -> TfrcSender: ...
    def on_segment(
        self,
        *,
        now_ns: int,
        timestamp_ns: int,
        delay_ns: int,
        receive_rate: float,
        loss_event_rate: float,
    ) -> None:
        """A feedback packet arrives."""
    def on_timer(self, now_ns: int) -> None:
        """Lets time pass."""
    def poll_transmit(self, now_ns: int) -> tuple[int, int] | None:
        """Sequence number and round-trip time of the packet to send, if one is due."""
    def write(self, packets: int) -> None:
        """The application has more to send."""
    @property
    def next_wake_ns(self) -> int | None: ...
    @property
    def rate(self) -> float: ...
    @property
    def instant_rate(self) -> float: ...
    @property
    def nofeedback_timeouts(self) -> int: ...

@final
class Worlds:
    """Many simulations that pause, stepped by one call on a pool of threads.

    The caller sets the windows of the flows with the algorithm `agent`, the same number in each world;
    `action` is the meaning of the numbers that set them. A step lasts `interval_s` seconds, or a round trip
    if that is None. With `each_acknowledgment` it lasts until the next acknowledgment or congestion signal of
    the one agent. A scenario without an agent raises ValueError.
    """

    def __new__(
        cls,
        scenario: Scenario,
        agent: str,
        count: int,
        *,
        action: str = "factor",
        largest_window_packets: float = 1e4,
        largest_rate_packets_per_s: float = 1e6,
        interval_s: float | None = None,
        each_acknowledgment: bool = False,
        threads: int = 1,
    ) -> Worlds: ...
    @staticmethod
    def actions() -> list[str]:
        """The meanings that a number of an agent can have."""
    @staticmethod
    def observations() -> list[tuple[str, str, float]]:
        """The name, the meaning and the largest value of what an agent can observe of a step."""
    @property
    def agents(self) -> int:
        """Agents in each world."""
    def reset(self, world: int, scenario: Scenario) -> list[list[float]]:
        """Begins a world again; returns the observations of its agents before the first step."""
    def step(self, numbers: NDArray[np.float64], observed: NDArray[np.float64]) -> list[bool]:
        """Steps the worlds that have begun and are not over; returns for each whether it is over.

        `numbers` holds one for each agent, world by world; `observed` receives their observations.
        """
    def step_one(self, number: float) -> tuple[tuple[float, ...], bool]:
        """Steps the world of the only agent; returns its observations, and whether the world is over."""
    def finish(self, world: int) -> RunOutput:
        """Ends a world at its present time; returns the output of its run."""
