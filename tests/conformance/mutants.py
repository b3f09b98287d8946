"""Every case can fail: a table of mutants, one for each case, that fail theirs.

A mutant is a second reading with a fault, an algorithm of the registry that lacks what the case asks for, or
a transport that does. None needs a build.

Long because it is one table, with a row for each case.
"""

from __future__ import annotations

from typing import Any

from tests.conformance import bbr, faults
from tests.conformance.mutant import Mutant, without
from tests.conformance.rate_mutants import RATE_MUTANTS
from tests.conformance.readings import Made, whole, windowed

__all__ = ["MUTANTS", "Mutant"]


PROBELESS = without(loss_probes=False)

REORDERED = {
    "topology.dumbbell.bottleneck.impairments": ["reordering(probability=0.1, packets=2, delay=10 ms)"]
}
"""A path on which a sender waits for late packets."""

DEAF = windowed(window_on_congestion=faults.nothing)
"""Losses, marks and timeouts change nothing."""

KEEPS_WINDOW = windowed(back_off=lambda _self, _event, used: used)
"""A loss leaves the whole window."""

RESUMING = {"saved_cwnd": 200.0, "saved_rtt": 100.0}
"""The memory that the cases of Careful Resume give."""


def resuming(**changed: Any) -> Made:
    """Careful Resume with that memory, and with these methods instead of the reading's own."""
    return windowed("reno", "careful-resume", ss_parameters=RESUMING, **changed)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "bbr",
        "startup-plateau",
        "one round without growth ends Startup",
        whole("bbr3", check_full_bw_reached=bbr.ends_after_a_round),
    ),
    Mutant(
        "bbr",
        "startup-loss",
        "losses do not end Startup",
        whole("bbr3", leave_startup_for_congestion=faults.nothing),
    ),
    Mutant(
        "bbr", "drain-inflight", "Drain paces at the bandwidth", whole("bbr3", parameters={"drain_gain": 1.0})
    ),
    Mutant(
        "bbr",
        "drain-time",
        "Drain waits for the queue",
        whole("bbr3", check_drain_done=bbr.waits_for_the_queue),
    ),
    Mutant(
        "bbr",
        "up-plateau",
        "one round without growth ends a probe",
        whole("bbr3", is_time_to_go_down=bbr.ends_probes_after_a_round),
    ),
    Mutant(
        "bbr",
        "up-loss-app-limited",
        "losses end no probe",
        whole("bbr3", handle_inflight_too_high=faults.nothing),
    ),
    Mutant(
        "bbr",
        "up-app-limited",
        "limited rounds end a probe",
        whole("bbr3", check_full_bw_reached=bbr.counts_limited_rounds),
    ),
    Mutant(
        "bbr",
        "startup-app-limited",
        "limited rounds end Startup",
        whole("bbr3", check_full_bw_reached=bbr.counts_limited_rounds),
    ),
    Mutant("bbr", "down-inflight", "DOWN ends at once", whole("bbr3", is_time_to_cruise=lambda _self: True)),
    Mutant(
        "bbr",
        "down-time",
        "no probe while the queue stays",
        whole("bbr3", is_time_to_probe_bw=bbr.probes_from_cruise),
    ),
    Mutant(
        "bbr", "probe-rtt", "ProbeRTT each ten seconds", whole("bbr3", parameters={"probe_rtt_window": 10.0})
    ),
    Mutant(
        "bbr", "probe-rtt-skipped", "an idle time is no reason", whole("bbr3", on_idle_restart=faults.nothing)
    ),
    Mutant(
        "bbr",
        "startup-aggregation",
        "bursts are not measured",
        whole("bbr3", update_ack_aggregation=faults.nothing),
    ),
    Mutant(
        "bbr",
        "cruise-aggregation",
        "bursts are not measured",
        whole("bbr3", update_ack_aggregation=faults.nothing),
    ),
    Mutant("bbr", "sub-packet", "two packets at most", whole("bbr3", set_cwnd=bbr.keeps_two_packets)),
    Mutant(
        "bbr", "increase", "probes pace at the bandwidth", whole("bbr3", pacing_gain=bbr.paces_probes_at_one)
    ),
    Mutant(
        "bbr",
        "decrease",
        "the maximum stays for ever",
        whole("bbr3", adapt_long_term_model=bbr.forgets_nothing),
    ),
    Mutant(
        "bbr",
        "policer",
        "losses lower no bound",
        whole("bbr3", update_congestion_signals=bbr.never_counts_losses),
    ),
    Mutant("bbr", "spurious-fast-recovery", "the pseudocode of the draft", whole("bbr3")),
    Mutant("bbr", "spurious-timeout", "nothing is undone", whole("bbr3", on_spurious=faults.nothing)),
    Mutant(
        "bbr",
        "probe-rtt-in-startup",
        "ProbeRTT leads to CRUISE",
        whole("bbr3", handle_probe_rtt=bbr.leaves_probe_rtt_for_cruise),
    ),
    Mutant("bbr", "up-loss", "losses lower no bound", whole("bbr3", handle_inflight_too_high=faults.nothing)),
    Mutant(
        "bbr",
        "refill-app-limited",
        "the last sample is the maximum",
        whole("bbr3", update_max_bw=bbr.forgets_in_refill),
    ),
    Mutant("bbr", "decrease-deep-buffer", "the pseudocode of the draft", whole("bbr3")),
    Mutant("reno", "initial-window", "twenty packets at first", windowed(ss_begin=faults.twice_as_large)),
    Mutant("reno", "slow-start", "slow start is limited", "rack+limited(max_ssthresh=12)+reno"),
    Mutant("reno", "slow-start-delayed", "two packets for an acknowledgment", "rack+standard(limit=2)+reno"),
    Mutant("reno", "threshold", "growth by the time", "rack+hybla"),
    Mutant("reno", "halving", "a loss leaves 0.7", "rack+cubic"),
    Mutant("reno", "once", "each loss is a signal", "reno"),
    Mutant(
        "reno",
        "timeout",
        "a timeout leaves ten packets",
        windowed(window_on_congestion=faults.restarts_with(10.0)),
    ),
    Mutant(
        "reno", "repeated-timeout", "each timeout halves", windowed(window_on_congestion=faults.halves_again)
    ),
    Mutant("reno", "idle", "no restart after idle times", windowed(window_on_idle_restart=faults.nothing)),
    Mutant("reno", "third-duplicate", "any later packet shows a loss", "acknak+reno"),
    Mutant("reno", "two-duplicates", "any later packet shows a loss", "acknak+reno"),
    Mutant(
        "reno", "limited-transmit", "no new data for duplicates", "newreno", without(limited_transmit=False)
    ),
    Mutant(
        "reno",
        "ack-division",
        "each acknowledgment counts as a packet",
        "rack+reno",
        without(count_acknowledgments=True),
    ),
    Mutant(
        "reno",
        "least-threshold",
        "half of what is outstanding, however little",
        windowed(back_off=lambda _self, _event, used: used / 2),
    ),
    Mutant(
        "reno",
        "lowered-twice",
        "a lost retransmission is no signal",
        "rack+reno",
        without(reduce_again=False),
    ),
    Mutant("reno", "delayed-avoidance", "growth by the time", "rack+hybla"),
    Mutant("reno", "mark", "marks change nothing", windowed(window_on_congestion=faults.nothing)),
    Mutant("newreno", "partial-acknowledgments", "losses are known at once", "sack+reno"),
    Mutant("newreno", "without-timeout", "each loss is a signal", "reno"),
    Mutant("newreno", "full-acknowledgment", "slow start after a loss", "tahoe"),
    Mutant("newreno", "flight-at-the-end", "slow start after a loss", "tahoe"),
    Mutant("newreno", "new-data", "slow start after a loss", "tahoe"),
    Mutant("newreno", "impatient-timer", "losses are known at once", "sack+reno"),
    Mutant(
        "newreno",
        "after-timeout",
        "any three duplicates mean a loss",
        "reno",
        without(fast_retransmit_beyond="nothing"),
    ),
    Mutant("cubic", "reduction", "a loss leaves a half", "cubic(beta=0.5)"),
    Mutant("cubic", "plateau", "a steeper curve", "cubic(c=1)"),
    Mutant("cubic", "concave", "linear growth", "rack+reno"),
    Mutant("cubic", "convex", "growth by the time alone", "rack+htcp"),
    Mutant("cubic", "short-round-trip", "growth by round trips", "rack+scalable"),
    Mutant("cubic", "fast-convergence", "no fast convergence", "cubic(fast_convergence=0)"),
    Mutant("cubic", "reno-friendly", "a packet per round trip", "rack+reno"),
    Mutant("cubic", "timeout", "a loss leaves a half", "cubic(beta=0.5)"),
    Mutant("cubic", "first-stage", "linear growth", "rack+reno"),
    Mutant(
        "cubic",
        "after-timeout",
        "the plateau before the timeout stays",
        windowed("cubic", start_stage=faults.keeps_plateau),
    ),
    Mutant("cubic", "idle", "the time runs on", windowed("cubic", measure=faults.counts_all_time)),
    Mutant("cubic", "mark", "a mark leaves a half", "cubic(ecn_beta=0.5)"),
    Mutant(
        "cubic",
        "least-window",
        "0.7 of what is outstanding, however little",
        windowed("cubic", back_off=lambda _self, _event, used: used * 0.7),
    ),
    Mutant("cubic", "spurious", "reports of duplicates are ignored", "cubic", without(dsack=False)),
    Mutant("cubic", "beside-reno", "delays alone", "rack+vegas"),
    Mutant(
        "hystart",
        "delay-ends-it",
        "a threshold of a round trip",
        "hystart(min_rtt_thresh=60,max_rtt_thresh=200,min_rtt_divisor=1)+reno",
    ),
    Mutant("hystart", "conservative-growth", "as fast as before", "hystart(css_growth_divisor=1)+reno"),
    Mutant("hystart", "five-rounds", "one round", "hystart(css_rounds=1)+reno"),
    Mutant("hystart", "empty-path", "slow start is limited", "rack+limited(max_ssthresh=20)+reno"),
    Mutant("hystart", "spurious", "one round", "hystart(css_rounds=1)+reno"),
    Mutant("hystart", "least-threshold", "a threshold of 1 ms", "hystart(min_rtt_thresh=1)+reno"),
    Mutant("hystart", "largest-threshold", "a threshold of 64 ms", "hystart(max_rtt_thresh=64)+reno"),
    Mutant("hystart", "samples", "two samples suffice", "hystart(n_rtt_sample=2)+reno"),
    Mutant(
        "hystart",
        "later-slow-start",
        "every slow start",
        windowed("reno", "hystart", ss_on_congestion=faults.nothing),
    ),
    Mutant("hystart", "stretched", "no limit of an acknowledgment", "hystart(limit=100)+reno"),
    Mutant(
        "hystart",
        "loss-ends-it",
        "losses change nothing",
        windowed("reno", "hystart", window_on_congestion=faults.nothing),
    ),
    Mutant("prr", "proportional", "silence until the flight fits", "sack+reno"),
    Mutant("prr", "at-once", "the loss is found by time", "rack+reno", REORDERED),
    Mutant("prr", "half-of-them", "a packet for each acknowledgment", KEEPS_WINDOW),
    Mutant("prr", "evenly", "silence until the flight fits", "sack+reno"),
    Mutant("prr", "ends-at-threshold", "slow start after a loss", "tahoe"),
    Mutant("prr", "conserves", "a burst after a burst", "sack+reno"),
    Mutant("prr", "catches-up", "slow start after a loss", "tahoe"),
    Mutant("rack", "few-sacked", "three duplicates are needed", "sack+reno"),
    Mutant("rack", "quarter", "an eighth of the round trip", "rfc9002+reno"),
    Mutant("rack", "reordering-tolerated", "three duplicates mean a loss", "sack+reno"),
    Mutant("rack", "loss-after-reordering", "three duplicates mean a loss", "sack+reno"),
    Mutant("rack", "lost-retransmission", "retransmissions are not watched", "sack+reno"),
    Mutant(
        "rack",
        "two-indications",
        "a lost retransmission is no signal",
        "rack+reno",
        without(reduce_again=False),
    ),
    Mutant("rack", "second-loss", "one loss in a round trip", "newreno"),
    Mutant("rack", "tail-probe", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "tail-of-three", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "example", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "probe-new-data", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "one-probe", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "timer-after-probe", "no probes", "rack+reno", PROBELESS),
    Mutant(
        "rack", "lone-segment", "the least timeout is added", "rack+reno", without(loss_probe_wait="linux")
    ),
    Mutant("rack", "probe-at-timeout", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "no-estimate", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "probe-repairs", "losses change nothing", DEAF),
    Mutant("rack", "needless-probe", "no probes", "rack+reno", PROBELESS),
    Mutant("rack", "window-grows", "reports of duplicates are ignored", "rack+reno", without(dsack=False)),
    Mutant("dctcp", "first-mark", "alpha begins at zero", "dctcp(alpha=0)"),
    Mutant("dctcp", "decay", "a gain of a half", "dctcp(g=0.5)"),
    Mutant("dctcp", "queue", "marks are ignored", "rack+reno"),
    Mutant("dctcp", "loss", "a loss leaves 0.7", "rack+cubic"),
    Mutant("dctcp", "reduction", "a quarter of alpha", windowed("dctcp", back_off=faults.takes_a_quarter)),
    Mutant(
        "dctcp",
        "once",
        "each acknowledgment with marks",
        windowed("dctcp", window_on_ack=faults.reduces_with_each_mark),
    ),
    Mutant(
        "dctcp",
        "timeout",
        "a timeout leaves ten packets",
        windowed("dctcp", window_on_congestion=faults.restarts_with(10.0)),
    ),
    Mutant("dctcp", "growth", "growth by the time", "rack+hybla"),
    Mutant("dctcp", "slow-start", "slow start is limited", "rack+limited(max_ssthresh=12)+reno"),
    Mutant("dctcp", "all-marked", "a gain of zero from zero", "dctcp(alpha=0,g=0.001)"),
    Mutant("dctcp", "delayed", "one mark in a round trip is known", "dctcp", without(ecn="classic")),
    Mutant("ledbat", "target", "a target of 40 ms", "ledbat(target=40)"),
    Mutant("ledbat", "growth", "a tenth of the gain", "ledbat(gain=0.1)"),
    Mutant("ledbat", "loss", "a loss leaves 0.7", "rack+cubic"),
    Mutant("ledbat", "yields", "losses alone", "rack+reno"),
    Mutant("ledbat", "half-target", "delays are ignored", "rack+reno"),
    Mutant("ledbat", "above-target", "delays are ignored", "rack+reno"),
    Mutant(
        "ledbat",
        "timeout",
        "a timeout leaves ten packets",
        windowed("ledbat", window_on_congestion=faults.restarts_with(10.0)),
    ),
    Mutant("ledbat", "least-window", "delays are ignored", "rack+reno"),
    Mutant(
        "ledbat",
        "rate-limited",
        "ten packets above the flight",
        windowed("ledbat", window_on_ack=faults.adds_all),
    ),
    Mutant(
        "ledbat",
        "shorter-path",
        "the first base delay stays",
        windowed("ledbat", measure=faults.keeps_the_first_base),
    ),
    Mutant("ledbat-plus-plus", "slow-start", "slow start doubles", "rack+ledbat"),
    Mutant("ledbat-plus-plus", "slow-start-exit", "a target of 100 ms", "ledbat-plus-plus(target=100)"),
    Mutant(
        "ledbat-plus-plus",
        "first-slowdown",
        "no slowdowns",
        whole("ledbat-plus-plus", slow_down=faults.nothing),
    ),
    Mutant(
        "ledbat-plus-plus",
        "slowdown-hold",
        "no slowdowns",
        whole("ledbat-plus-plus", slow_down=faults.nothing),
    ),
    Mutant(
        "ledbat-plus-plus",
        "slowdown-return",
        "slow start by whole packets",
        whole("ledbat-plus-plus", gain=1.0),
    ),
    Mutant(
        "ledbat-plus-plus",
        "next-slowdown",
        "four times as often",
        whole("ledbat-plus-plus", end_slow_start=faults.comes_soon),
    ),
    Mutant(
        "ledbat-plus-plus",
        "tenth",
        "four times as often",
        whole("ledbat-plus-plus", end_slow_start=faults.comes_soon),
    ),
    Mutant("ledbat-plus-plus", "gain", "a packet in a round trip", whole("ledbat-plus-plus", gain=1.0)),
    Mutant(
        "ledbat-plus-plus", "gain-on-long-path", "a third of a packet", whole("ledbat-plus-plus", gain=1 / 3)
    ),
    Mutant(
        "ledbat-plus-plus", "gain-on-short-path", "a third of a packet", whole("ledbat-plus-plus", gain=1 / 3)
    ),
    Mutant("ledbat-plus-plus", "target", "a target of 100 ms", "ledbat-plus-plus(target=100)"),
    Mutant("ledbat-plus-plus", "decrease", "a hundredth of the decrease", "ledbat-plus-plus(constant=0.01)"),
    Mutant(
        "ledbat-plus-plus",
        "half-at-most",
        "no bound of the decrease",
        whole("ledbat-plus-plus", avoid=faults.without_bound),
    ),
    Mutant("ledbat-plus-plus", "loss", "a loss leaves 0.7", "rack+cubic"),
    Mutant("ledbat-plus-plus", "yields", "losses alone", "rack+reno"),
    Mutant("ledbat-plus-plus", "latecomer", "no slowdowns", "rack+ledbat"),
    Mutant("ledbat-plus-plus", "least-window", "delays are ignored", "rack+reno"),
    Mutant("ledbat-plus-plus", "round-trips", "delays are ignored", "rack+reno"),
    Mutant("prague", "codepoint", "packets carry ECT(0)", whole("prague", l4s=False)),
    Mutant(
        "prague", "accurate-feedback", "one mark in a round trip is known", "prague", without(ecn="classic")
    ),
    Mutant("prague", "marks-at-low-rate", "each mark halves", whole("prague", estimate=faults.nothing)),
    Mutant("prague", "marks-at-high-rate", "each mark halves", whole("prague", estimate=faults.nothing)),
    Mutant("prague", "low-delay", "each mark halves", whole("prague", estimate=faults.nothing)),
    Mutant(
        "prague", "loss", "losses change nothing", whole("prague", on_congestion=faults.hears_marks_alone)
    ),
    Mutant(
        "prague", "timeout", "losses change nothing", whole("prague", on_congestion=faults.hears_marks_alone)
    ),
    Mutant(
        "prague",
        "coexistence",
        "losses change nothing",
        whole("prague", on_congestion=faults.hears_marks_alone),
    ),
    Mutant("prague", "round-trip-independence", "short round trips grow as ever", "prague(transition=inf)"),
    Mutant("prague", "typical-round-trip", "a virtual round trip of 100 ms", "prague(virtual_rtt=100)"),
    Mutant("prague", "small-windows", "two packets at least", whole("prague")),
    Mutant("prague", "reordering", "three duplicates mean a loss", "sack+prague"),
    Mutant("prague", "bursts", "no pacing", whole("prague", pacing_rate=None)),
    Mutant("prague", "estimate", "no estimate", whole("prague", estimate=faults.nothing)),
    Mutant("prague", "reduction", "each mark halves", whole("prague", on_congestion=faults.halves_at_marks)),
    Mutant(
        "prague",
        "growth-between-marks",
        "no growth in rounds with marks",
        whole("prague", grow=faults.pauses),
    ),
    Mutant("prague", "classic-queue", "no fall-back", whole("prague")),
    Mutant("copa", "equilibrium", "losses alone", "rack+reno"),
    Mutant("copa", "default-mode", "a delta of 0.2", "copa(delta=0.2)"),
    Mutant("copa", "competitive-mode", "no competitive mode", "copa(competitive=0)"),
    Mutant("copa", "slow-start", "slow start is limited", "rack+limited(max_ssthresh=12)+reno"),
    Mutant("copa", "random-loss", "losses halve the window", "rack+reno"),
    Mutant("copa", "two-flows", "losses alone", "rack+reno"),
    Mutant("copa", "higher-rate", "losses alone", "rack+reno"),
    Mutant("copa", "faster-link", "a velocity of one", whole("copa", choose_velocity=faults.nothing)),
    Mutant("copa", "paced", "no pacing", whole("copa", pacing_rate=None)),
    Mutant("rate-limited", "slow-start", "growth without a limit", windowed(window_on_ack=faults.adds_all)),
    Mutant("rate-limited", "avoidance", "growth without a limit", windowed(window_on_ack=faults.adds_all)),
    Mutant(
        "rate-limited",
        "no-decrease",
        "the window follows the flight",
        windowed(window_on_ack=faults.follows_flight),
    ),
    Mutant("rate-limited", "in-full-use", "slow start is limited", "rack+limited(max_ssthresh=12)+reno"),
    Mutant(
        "rate-limited",
        "example",
        "only windows in full use grow",
        "rack+reno",
        without(limited_growth="window"),
    ),
    Mutant(
        "rate-limited", "after-reduction", "growth without a limit", windowed(window_on_ack=faults.adds_all)
    ),
    Mutant(
        "rate-limited",
        "receive-window",
        "only windows in full use grow",
        "rack+reno",
        without(limited_growth="window"),
    ),
    Mutant("search", "after-capacity", "a threshold of a half", "search(threshold=0.5)"),
    Mutant("search", "below-capacity", "slow start is limited", "rack+limited(max_ssthresh=20)+reno"),
    Mutant("search", "drain-rate", "a packet for every two", "search(drain=2)"),
    Mutant("search", "drained-window", "no drain", "search(drain=0)"),
    Mutant("search", "after-drain", "no drain", "search(drain=0)"),
    Mutant("search", "latency", "a longer round trip ends it", "rack+hystart-linux+reno"),
    Mutant("search", "long-round-trip", "forty bins are kept", "search(extra_bins=40)"),
    Mutant(
        "search",
        "loss",
        "losses change nothing",
        windowed("reno", "search", window_on_congestion=faults.nothing),
    ),
    Mutant("rapid-start", "triples", "slow start doubles", "rack+standard+reno"),
    Mutant("rapid-start", "doubles", "a queue of 100 ms", "rapid-start(rise=100,factor=3)"),
    Mutant("rapid-start", "tenth", "4 ms alone", "rapid-start(factor=3)"),
    Mutant("rapid-start", "four-ms", "a tenth alone", "rapid-start(rise=100)"),
    Mutant("rapid-start", "below-threshold", "any rise is a queue", "rapid-start(rise=0)"),
    Mutant("rapid-start", "first-flight", "no pacing", "rapid-start(pacing=0)"),
    Mutant("rapid-start", "silence", "a half at once", "rack+standard+reno"),
    Mutant(
        "rapid-start",
        "one-loss",
        "nothing for what is acknowledged",
        windowed("reno", "rapid-start", ss_on_reduction=faults.takes_at_once),
    ),
    Mutant("rapid-start", "overflow", "half of the window", "rack+standard+reno"),
    Mutant(
        "rapid-start",
        "lower-bound",
        "two packets at least",
        windowed("reno", "rapid-start", ss_on_reduction=faults.forgets_the_bound),
    ),
    Mutant(
        "careful-resume",
        "initial-window",
        "twenty packets at first",
        resuming(ss_begin=faults.twice_as_large),
    ),
    Mutant("careful-resume", "jump", "the whole window", "careful-resume(saved_cwnd=400,saved_rtt=100)"),
    Mutant("careful-resume", "paced", "no pacing", resuming(ss_pacing_rate=faults.nothing)),
    Mutant(
        "careful-resume",
        "validating",
        "no growth until validated",
        resuming(ss_grow=faults.stops_at_the_jump),
    ),
    Mutant("careful-resume", "short-path", "any path is the saved one", "careful-resume(saved_cwnd=200)"),
    Mutant("careful-resume", "long-path", "any path is the saved one", "careful-resume(saved_cwnd=200)"),
    Mutant(
        "careful-resume", "early-loss", "losses change nothing", resuming(window_on_congestion=faults.nothing)
    ),
    Mutant("careful-resume", "retreat", "half of the flight", resuming(ss_on_reduction=faults.keeps_half)),
    Mutant(
        "careful-resume", "after-retreat", "no threshold", resuming(ss_measure=faults.leaves_no_threshold)
    ),
    Mutant(
        "careful-resume",
        "rate-limited",
        "the jump stays, used or not",
        resuming(ss_check_flight_size=faults.keeps_the_jump),
    ),
    *RATE_MUTANTS,
)
