"""The columns of a run's tables: the unit and the meaning of each, declared once.

Tables that are saved carry both in their metadata, and `docs/results.md` shows them.

Long because every column of every table is declared here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ackclock._native import TCP_INFO_COLUMNS

__all__ = ["EXPERIENCE", "TABLES", "UNKNOWN", "Column", "TableKind", "unit_of"]

ENDINGS = {"_bit_per_s": "bit/s", "_per_s": "1/s", "_s": "s", "_packets": "packets", "_bytes": "bytes"}
"""The unit that the ending of a name states, longest ending first."""

BEGINNINGS = {"packets": "packets", "bytes": "bytes", "dropped": "packets"}
"""The unit that the beginning of a name states."""

PACKETS = (
    "control_packets_lost",
    "marked",
    "max_queue_packets",
    "offered_protected",
    "pushed_out",
    "retransmissions",
    "thinned",
)
"""Counts of packets whose names state no unit."""


@dataclass(frozen=True)
class Column:
    """A column: its unit, empty for texts, numbers of things and pure numbers, and its meaning."""

    unit: str
    meaning: str


@dataclass(frozen=True)
class TableKind:
    """A table: the meaning of a row, and of each column by name."""

    row: str
    columns: Mapping[str, str]
    of_linux: Mapping[str, str] = field(default_factory=dict)
    """The names of the same quantities in the `tcp_info` of Linux, by column."""

    def column(self, name: str) -> Column:
        """The unit and the meaning of a column; the meaning of a column that is not declared is empty."""
        return Column(unit_of(name), self.columns.get(name) or COMMON.get(name, ""))


def unit_of(name: str) -> str:
    """The unit of a column, by its name; empty without one."""
    if name in PACKETS:
        return "packets"
    for ending, unit in ENDINGS.items():
        if name.endswith(ending):
            return unit
    return BEGINNINGS.get(name.partition("_")[0], "")


UNKNOWN = TableKind("", {})
"""A table that is not declared: only its units are known."""

COMMON = {
    "label": "the name of the run: usually the algorithm",
    "seed": "the seed of all random streams",
    "flow": "the number of the flow, from 0",
    "link": "the number of the link direction, from 0",
    "time_s": "the simulated time",
    "point": "the number of the point in the plan, from 0",
    "metric": "the quantity: a column of `runs`, or of `groups`",
    "group": "the name of the group of flows in the scenario",
    "n": "the runs in which the quantity exists",
    "mean": "the mean over seeds, in the base unit of the quantity, as are the following columns",
    "low": "the lower end of the 95 % interval of the mean",
    "high": "the upper end of the 95 % interval of the mean",
    "standard_deviation": "the standard deviation over seeds",
    "median": "the median over seeds",
    "minimum": "the smallest value",
    "maximum": "the largest value",
    "first": "the label whose values come first in the difference",
    "second": "the label whose values are subtracted",
}
"""Columns that mean the same in every table."""

_FATES = {
    "packets_sent": "data packets sent, retransmissions among them",
    "packets_lost": "data packets that the network dropped, retransmissions among them",
    "retransmissions": "data packets sent again",
    "timeouts": "expirations of the retransmission timer",
}

EXPERIENCE = ("start_s", "finish_s", "waited_s", "stalls", "longest_stall_s", "stall_s")
"""The columns in which `calls`, `films`, `pages` and `users` say the same of a person."""


def _experience(
    start: str, finish: str, waited: str, stalls: str, longest: str = "the longest of them"
) -> dict[str, str]:
    """The columns of `EXPERIENCE`, by what they mean in one table."""
    return dict(zip(EXPERIENCE, (start, finish, waited, stalls, longest, "their total length"), strict=True))


_PAGE_STALLS = "the times without new data of at least `stall_after` while a page was incomplete"
_LONGEST = "the longest time without new data while a page was incomplete, also if it is no stall"

_FILES = {
    "flow": COMMON["flow"],
    "start_s": "the connection is requested",
    "established_s": "the connection is established",
    "finish_s": "the last packet is acknowledged; NaN if a stop came before everything was sent",
}

TABLES: Mapping[str, TableKind] = {
    "flows": TableKind(
        "one row per flow",
        {
            "flow": COMMON["flow"],
            "name": "the name of its group, with a number if the group has several flows",
            "kind": 'the protocol: "tcp", "acknak", "tfrc", "udp", "quic" or "rtp"',
            "algorithm": "the specification of its congestion control",
            "source": "the node that sends",
            "destination": "the node that receives",
            "start_s": "the flow begins",
            "established_s": "the connection is established; NaN for a flow that sends file after file",
            "finish_s": "the flow ends; NaN for a flow that does not, or that sends file after file",
            "packets_sent": _FATES["packets_sent"],
            "packets_delivered": "packets with data that arrived, each once; of QUIC the datagrams",
            "bytes_delivered": "payload given to the application, in order if the transport repairs losses",
            "packets_lost": _FATES["packets_lost"],
            "control_packets_lost": "packets without data that the network dropped, of either direction",
            "retransmissions": _FATES["retransmissions"],
            "timeouts": _FATES["timeouts"],
            "repeated_timeouts": "timeouts of TCP while the timer was backed off",
            "fast_retransmits": "loss episodes without a timeout",
            "measured_s": "the time over which the averages are taken",
            "goodput_bit_per_s": "payload delivered per second of the measured time",
            "throughput_bit_per_s": "the same on the wire, with headers",
            "mean_cwnd_packets": "the congestion window, averaged over time",
            "mean_rtt_s": "the round-trip time of packets with data, averaged over the measured time",
            "min_rtt_s": "the smallest round-trip time of the whole run",
            "max_rtt_s": "the largest round-trip time of the whole run",
            "one_way_delay_p50_s": "with `one_way_delays`: the median delay of TCP's data packets that "
            "arrived, from sender to receiver",
            "one_way_delay_p95_s": "the delay that 95 % of them do not exceed",
            "one_way_delay_p99_s": "the delay that 99 % of them do not exceed",
        },
    ),
    "links": TableKind(
        "one row per link direction, from `warm_up` on",
        {
            "link": COMMON["link"],
            "name": 'the name of the direction, as "left->right"',
            "rate_bit_per_s": "the rate; the mean rate of a rate that changes",
            "packets_offered": "packets that reached the link",
            "packets_forwarded": "packets that left it",
            "dropped_queue": "packets dropped by the queue",
            "dropped_loss": "packets dropped by the loss model",
            "marked": "packets marked with congestion experienced",
            "bytes_forwarded": "bytes that left it, headers included",
            "utilisation": "the share of the time in which it transmits",
            "mean_queue_packets": "packets waiting, averaged over time, without the one in transmission",
            "max_queue_packets": "the largest number of packets waiting",
            "mean_queueing_delay_s": "the wait of the packets that left the queue, averaged over packets",
            "max_queueing_delay_s": "the longest wait of a packet",
            "dropped_early": "packets dropped before the buffer was full",
            "pushed_out": "packets dropped to make room for others",
            "offered_protected": "protected packets that reached the link",
            "dropped_protected": "protected packets dropped",
            "thinned": "acknowledgments that later ones replaced, neither dropped nor lost",
        },
    ),
    "flow_series": TableKind(
        "one row per interval and flow, with `trace.interval`, from the first sample at or after the flow's "
        "start to the first at or after its end, and for data that arrive later",
        {
            "time_s": COMMON["time_s"],
            "flow": COMMON["flow"],
            "cwnd_packets": "the congestion window",
            "ssthresh_packets": "the slow-start threshold; infinite until the first congestion",
            "rtt_s": "the latest sample of the round-trip time",
            "srtt_s": "the smoothed round-trip time",
            "in_flight_packets": "packets sent and not yet accounted for",
            "goodput_bit_per_s": "of the data that arrived in the interval just ended",
            "retransmissions": "data packets sent again since the start",
        },
        {column: f"tcpi_{name}" for name, column, _ in TCP_INFO_COLUMNS},
    ),
    "link_series": TableKind(
        "one row per interval and link direction, with `trace.interval`",
        {
            "time_s": COMMON["time_s"],
            "link": COMMON["link"],
            "queue_packets": "packets waiting",
            "queue_bytes": "bytes waiting",
            "drops": "packets dropped in the interval just ended",
            "capacity_bit_per_s": "the mean rate that the link's schedule or trace allowed in it; NaN if the "
            "rate is in packets",
        },
    ),
    "network_series": TableKind(
        "one row per interval, with `trace.interval`, over all flows whose packets are acknowledged",
        {
            "time_s": COMMON["time_s"],
            "flows_active": "connections requested and not finished",
            "mean_cwnd_packets": "the congestion window, averaged over the active flows",
            "mean_srtt_s": "the smoothed round-trip time, averaged over the active flows",
            "in_flight_packets": "packets sent and not yet accounted for",
            "packets_sent": "data packets sent in the interval, retransmissions among them",
            "retransmissions": "data packets sent again in the interval",
            "timeouts": "expirations of retransmission timers in the interval",
            "packets_delivered": "packets with data that arrived in the interval, each once",
            "goodput_bit_per_s": "payload delivered in the interval, per second",
        },
    ),
    "transfers": TableKind(
        "one row per file, for flows with `packets` or `size`, in the order in which they ended, then those "
        "under way; objects that one connection fetches at once (`pipelining`) are one transfer",
        {
            **_FILES,
            "failed": "1 if no connection was established",
            "cut_off": "1 if a stop, or the end of the user's patience, came before everything was sent",
            "packets": "the size of the file",
            **_FATES,
        },
    ),
    "transfer_classes": TableKind(
        "one row per class of sizes, in powers of two, of the transfers that began after `warm_up` and ended",
        {
            "packets_from": "the smallest size of the class",
            "packets_to": "the largest size of the class",
            "transfers": "transfers that finished",
            "failed": "transfers without a connection",
            "packets": "the sizes of all transfers together",
            **_FATES,
            "mean_time_s": "the time of a transfer, averaged over transfers",
            "mean_goodput_bit_per_s": "the goodput of a transfer, set-up included, averaged over transfers",
            "goodput_bit_per_s": "the payload of all transfers divided by their time",
        },
    ),
    "users": TableKind(
        "one row per user of a pool of connections or of a browser, from `warm_up` on",
        {
            "user": "the number of the user, from 0",
            "name": "the name of the user",
            **_experience(
                "the first page is requested",
                "the latest page is complete, or given up; NaN if the run ended before, or without a page",
                "the time in which a requested page was incomplete",
                _PAGE_STALLS,
                _LONGEST,
            ),
            "connections": "connections that the user may have open at a time",
            "pages": "complete pages that began after `warm_up`",
            "objects": "objects of these pages",
            "failed_objects": "objects of these pages that were not fetched",
            "packets": "the sizes of these objects together",
            "mean_page_s": "the time of a page, averaged over pages",
            "given_up": "pages that began after `warm_up` and were given up; with a browser only",
            "mean_visual_area_s": "`visual_area_s` of the complete pages, averaged",
        },
    ),
    "pages": TableKind(
        "one row per page, in the order in which they ended, then those under way by user",
        {
            "user": "the number of the user, from 0",
            **_experience(
                "the page is requested",
                "its last object is complete, or abandoned; NaN if that did not happen",
                "the time after the warm-up in which it was incomplete",
                _PAGE_STALLS,
                _LONGEST,
            ),
            "objects": "objects of the page",
            "failed_objects": "objects that were not fetched",
            "packets": "the sizes of its objects together",
            "page": "the number of the user's page, from 0; with a browser only, as the following columns",
            "first_object_s": "the first object is complete",
            "visual_area_s": "the part of the visual bytes that is missing, integrated over time from the "
            "request to the last of them, or until the page is given up or the run ends",
            "given_up": "1 if the user gave the page up",
        },
    ),
    "objects": TableKind(
        "one row per object of each page of a browser, in the order in which the pages began",
        {
            "user": "the number of the user, from 0",
            "page": "the number of the user's page, from 0",
            "object": "the number of the object in its page, from 0",
            "name": "the name of the object",
            "bytes": "its size",
            "urgency": "its urgency (RFC 9218), 0 to 7",
            "connection": "the number of the user's connection that carries it, from 0",
            "page_start_s": "the page is requested",
            "found_s": "what mentions the object has arrived and is parsed",
            "request_s": "the request is written to a connection",
            "first_byte_s": "its first bytes arrive",
            "finish_s": "it is complete",
        },
    ),
    "responses": TableKind(
        "one row per request, in the order in which the responses ended, then those under way",
        {
            "flow": COMMON["flow"],
            "request_s": "the client writes the request",
            "request_packets": "the size of the request",
            "response_packets": "the size of the response",
            "request_received_s": "the server has the whole request",
            "first_packet_s": "the first packet of the response arrives at the client",
            "finish_s": "the last packet of the response arrives at the client",
        },
    ),
    "calls": TableKind(
        "one row per `[[call]]`, and per flow of a `[[udp]]` with `call = true`, of its packets sent "
        "after the warm-up up to the latest that arrived; without a call it has no columns",
        {
            "flow": COMMON["flow"],
            **_experience(
                "the first packet leaves, in the warm-up or after it",
                "it stops; NaN if the run ended before",
                "the time in which the picture stood still: `stall_s`",
                "freezes: gaps between frames shown of at least max(3 averages, average + 150 ms), as in "
                "WebRTC's statistics",
            ),
            "packets_delivered": "packets that arrived",
            "packets_lost": "packets that did not",
            "loss": "the share lost",
            "loss_of_seconds_p95": "the share lost that 95 % of the seconds do not exceed",
            "loss_of_seconds_max": "the share lost that no second exceeds",
            "delay_min_s": "the smallest one-way delay, from departure to arrival",
            "delay_p50_s": "the delay that half of the packets do not exceed",
            "delay_p95_s": "the delay that 95 % of the packets do not exceed",
            "delay_p99_s": "the delay that 99 % of the packets do not exceed",
            "delay_max_s": "the largest delay",
            "delay_p98_s": "the delay that 98 % of the packets do not exceed",
            "rate_bit_per_s": "the mean rate on the wire of the packets that arrived",
            "ramp_s": "the time to ramp up: to the end of the first second whose rate is 90 % of the "
            "highest of any second",
            "frames": "frames encoded; 0 for datagrams, which are no frames",
            "frames_shown": "frames that were complete in time for the jitter buffer",
            "frame_delay_p95_s": "the time from capture to view that 95 % of the frames shown do not exceed",
        },
    ),
    "films": TableKind(
        "one row per flow with `film`, of the segments requested after the warm-up that arrived; without a "
        "film it has no columns",
        {
            "flow": COMMON["flow"],
            **_experience(
                "the viewer begins",
                "the film is over; NaN if `stop` or the end of the run came before",
                "the time without film: of the start-up, and `stall_s`",
                "times without film after its start, until `stop` or the end of the run",
            ),
            "segments": "segments that arrived",
            "rate_bit_per_s": "the mean rate of the qualities of these segments",
            "utility": "the mean of ln(rate / lowest rate of the ladder)",
            "switches": "changes of the quality from one segment to the next",
            "startup_s": "the time from the viewer's start to the film's; NaN if it has not begun",
            "stall_share": "`stall_s` as a share of the time from the film's start",
            "qoe_bit_per_s": "the quality of experience of Yin et al. 2015 per segment: the mean rate, "
            "less the mean change of the rate, less 3 Mbit/s for each second of `stall_s` and, without a "
            "warm-up, of `startup_s`",
        },
    ),
    "segments": TableKind(
        "one row per segment that a viewer of a film requested, by viewer; without a film it has no columns",
        {
            "flow": COMMON["flow"],
            "segment": "its number, from 0",
            "quality": "its quality, from 0, the lowest",
            "rate_bit_per_s": "the mean rate of this quality",
            "packets": "the packets that carry it",
            "request_s": "the player requests it",
            "finish_s": "it is complete; NaN if the run ends before",
            "buffer_at_request_s": "the film in the buffer at the request",
            "buffer_s": "the film in the buffer when it is complete, with it",
        },
    ),
    "freezes": TableKind(
        "one row per freeze of a `[[call]]`; not recorded without one",
        {
            "flow": COMMON["flow"],
            "time_s": "the last frame before it is shown",
            "length_s": "the time until the next frame is shown",
        },
    ),
    "timeouts": TableKind(
        "one row per flow and number of timeouts in a row, of TCP, from the start",
        {
            "flow": COMMON["flow"],
            "in_a_row": "1 if the timer was not backed off, 2 for the next timeout before a round trip is "
            "measured, up to 8, which stands for 8 and more",
            "timeouts": "timeouts of this kind",
        },
    ),
    "incidents": TableKind(
        "one row per TCP flow that has had an incident; without one it has no columns",
        {
            "flow": COMMON["flow"],
            "window_probes": "probes of a receive window without room",
            "resets": "connections that an end has reset",
            "fast_opens": "data in a SYN that the SYN-ACK acknowledged",
            "fast_open_fallbacks": "data in a SYN that was sent again",
        },
    ),
    "epochs": TableKind(
        "one row per flow and number of data packets in an epoch, with `trace.epoch`, between `warm_up` and "
        "the flow's end; packets count when they leave the sender, lost or not",
        {
            "flow": COMMON["flow"],
            "epoch_s": "the length of the flow's epochs",
            "packets_sent": "a number of data packets",
            "epochs": "the epochs in which the flow sent this number",
        },
    ),
    "silences": TableKind(
        "one row per time in which a flow sent no data for an epoch or longer, with `trace.epoch`",
        {
            "flow": COMMON["flow"],
            "start_s": "the last packet before the silence",
            "length_s": "its length",
            "ended": "0 if the flow or the run ended in it",
        },
    ),
    "packets": TableKind(
        "one row per packet that left a link direction named in `trace.packets`",
        {
            "time_s": COMMON["time_s"],
            "link": COMMON["link"],
            "flow": COMMON["flow"],
            "kind": '"data", "ack", "nak", "feedback" or "udp"',
            "sequence": "the sequence number of the first byte",
            "acknowledgment": "the next byte that the sender of the packet expects",
            "payload_bytes": "the length of the data",
            "wire_bytes": "the length with headers",
            "ecn": "the ECN field of the IP header",
            "connection": "the number of its connection among those of its flow, from 0",
        },
    ),
    "drops": TableKind(
        "one row per lost packet, with `trace.interval`",
        {
            "time_s": COMMON["time_s"],
            "link": COMMON["link"],
            "flow": COMMON["flow"],
            "sequence_bytes": "the sequence number of the first byte",
            "reason": '"queue", "early", "pushed out", "loss", "policed" or "tripped"',
        },
    ),
    "flow_events": TableKind(
        "one row per flow, kind of event and interval in which it happened, with `trace.interval`",
        {
            "time_s": "the end of the interval",
            "flow": COMMON["flow"],
            "event": '"SYN sent again", "timeout", "recovery" (losses found without a timeout), '
            '"spurious" (an episode that turned out to be none) or "slow start left" (the window reaches '
            "the threshold)",
            "count": "how often",
        },
    ),
    "gauges": TableKind(
        "one row per value that a controller or the Congestion Manager reported, with `trace.interval`",
        {
            "time_s": COMMON["time_s"],
            "flow": COMMON["flow"],
            "name": "the name of the quantity",
            "value": "its value, in the unit that the algorithm's page states",
        },
    ),
    "simulations": TableKind(
        "one row per run",
        {
            "label": COMMON["label"],
            "seed": COMMON["seed"],
            "events": "events that the engine handled",
            "packets_delivered": "data packets that reached their receivers",
            "conserved": "true if every packet sent was delivered, dropped or in flight at the end",
            "finished_at_s": "the simulated time at the end",
        },
    ),
    "summary": TableKind("one row per label and quantity: the mean over seeds with its interval", {}),
    "groups": TableKind("as `summary`, per group of flows by its name in the scenario", {}),
    "differences": TableKind(
        "one row per pair of labels and quantity: the mean paired difference with its interval",
        {
            "mean": "the mean of first minus second over common seeds, in the base unit of the quantity",
            "low": "the lower end of its interval; the intervals of a quantity hold together at 95 %",
            "high": "the upper end of its interval",
        },
    ),
    "competition": TableKind(
        "one row per seed and competitor, of `compare --together`",
        {
            "share": "the competitor's share of the goodput",
            "goodput_bit_per_s": "its payload over the time after the warm-up, per second",
            "mean_rtt_s": "its round-trip time, averaged over its flows",
            "loss_share": "the share of its packets that the network dropped",
            "retransmissions": _FATES["retransmissions"],
            "timeouts": _FATES["timeouts"],
            "fairness": "Jain's index over the competitors",
        },
    ),
    "measured": TableKind(
        "one row per time and flow of a measurement that `ackclock overlay` has read",
        {
            "file": "the name of the file",
            "time_s": "the time since the measurement began, with the shift of --shift",
            "flow": "the name of the flow in the file",
            "goodput_bit_per_s": "the rate in the interval just ended",
            "cwnd_packets": "the congestion window",
            "ssthresh_packets": "the slow-start threshold",
            "rtt_s": "a sample of the round-trip time",
            "srtt_s": "the smoothed round-trip time",
            "in_flight_packets": "packets sent and not yet acknowledged",
            "retransmissions": "data packets sent again since the start",
        },
    ),
    "competition_summary": TableKind("as `summary`, per competitor in the runs that all share", {}),
}
"""The tables of a results folder, by name; `runs` has a column per metric (`measures.metrics`)."""
