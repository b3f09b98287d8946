"""The mutants of C4, CDG, Allegro, Vivace and rLEDBAT, one for each case."""

from __future__ import annotations

from tests.conformance import faults, rate_faults
from tests.conformance.mutant import Mutant
from tests.conformance.readings import whole, windowed

__all__ = ["RATE_MUTANTS"]

FOUR = {"flow.0.tcp.receive_window": "4 packets"}
EIGHT = {"tcp.receive_window": "8 packets"}
TWENTY = {"flow.0.tcp.receive_window": "20 packets"}

RATE_MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "c4", "initial-window", "twenty packets at first", whole("c4", begin=rate_faults.begins_with_twenty)
    ),
    Mutant(
        "c4",
        "initial-plateau",
        "no increase counts",
        whole("c4", has_increased=rate_faults.ends_initial_at_once),
    ),
    Mutant(
        "c4", "initial-limited", "limited eras count", whole("c4", handle_rate=rate_faults.ignores_the_limit)
    ),
    Mutant("c4", "initial-loss", "losses are ignored", whole("c4", handle_losses=faults.nothing)),
    Mutant("c4", "initial-few", "the first loss counts", whole("c4", congestion=rate_faults.minds_each_loss)),
    Mutant("c4", "coefficients", "alpha is one in Recovery", whole("c4", begin_era=rate_faults.keeps_alpha)),
    Mutant("c4", "paced", "no pacing", whole("c4", set_rate_and_window=rate_faults.unpaced)),
    Mutant("c4", "window", "twice the window", whole("c4", window=rate_faults.doubles_the_window)),
    Mutant(
        "c4",
        "recovery-time",
        "three eras of Recovery",
        whole("c4", exit_recovery=rate_faults.recovers_for_three),
    ),
    Mutant(
        "c4",
        "cruising-time",
        "one era of Cruising",
        whole("c4", exit_recovery=rate_faults.cruises_for_an_era),
    ),
    Mutant(
        "c4", "cruising-limited", "limited eras count", whole("c4", handle_rate=rate_faults.ignores_the_limit)
    ),
    Mutant("c4", "pushing-time", "two eras of Pushing", whole("c4", end_era=rate_faults.pushes_twice)),
    Mutant(
        "c4", "cautious-push", "each push is a success", whole("c4", judge_push=rate_faults.raises_each_push)
    ),
    Mutant(
        "c4",
        "push-unpunished",
        "congestion in a push reduces",
        whole("c4", congestion=rate_faults.reduces_in_pushes),
    ),
    Mutant("c4", "faster-link", "no push is judged", whole("c4", judge_push=faults.nothing)),
    Mutant("c4", "jitter", "no second start", whole("c4", begin=rate_faults.has_restarted)),
    Mutant("c4", "longer-path", "the first delay stays", whole("c4", update_max_rtt=faults.nothing)),
    Mutant(
        "c4",
        "decay",
        "a shorter round trip is taken over at once",
        whole("c4", update_max_rtt=rate_faults.forgets_at_once),
    ),
    Mutant("c4", "delay-signal", "a threshold of a second", whole("c4", delay_threshold=lambda _self: 1.0)),
    Mutant("c4", "delay-share", "a quarter at once", whole("c4", congestion=rate_faults.takes_a_quarter)),
    Mutant(
        "c4",
        "delay-below",
        "a threshold of a tenth of a millisecond",
        whole("c4", delay_threshold=lambda _self: 0.0001),
    ),
    Mutant(
        "c4", "delay-at-low-rate", "full sensitivity at any rate", whole("c4", sensitivity=lambda _self: 1.0)
    ),
    Mutant("c4", "single-loss", "losses are ignored", whole("c4", handle_losses=faults.nothing)),
    Mutant(
        "c4", "loss-at-low-rate", "full sensitivity at any rate", whole("c4", sensitivity=lambda _self: 1.0)
    ),
    Mutant(
        "c4",
        "falls-by-congestion",
        "the rate falls in each era",
        whole("c4", end_era=rate_faults.loses_each_era),
    ),
    Mutant("c4", "spike", "the rate is overestimated", "c4(ecn=0)"),
    Mutant("c4", "trial-20-mbit", "a window of eight packets", "c4", EIGHT),
    Mutant("c4", "trial-200-mbit", "a window of eight packets", "c4", EIGHT),
    Mutant("c4", "trial-low-and-up", "a window of eight packets", "c4", EIGHT),
    Mutant("c4", "trial-drop-and-back", "a window of eight packets", "c4", EIGHT),
    Mutant("c4", "trial-short-to-long", "a window of eight packets", "c4", EIGHT),
    Mutant("c4", "trial-suspensions", "a window of eight packets", "c4", EIGHT),
    Mutant("c4", "short-with-c4", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "long-with-c4", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "before-c4", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "after-c4", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "short-with-cubic", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "long-with-cubic", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "before-cubic", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "short-with-bbr", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "long-with-bbr", "a window of twenty packets", "c4", TWENTY),
    Mutant("c4", "before-bbr", "a window of twenty packets", "c4", TWENTY),
    Mutant("cdg", "slow-start", "slow start is limited", "rack+limited(max_ssthresh=12)+reno"),
    Mutant("cdg", "slow-start-exit", "losses alone end slow start", "rack+reno"),
    Mutant("cdg", "growth", "growth by the time", "rack+hybla"),
    Mutant("cdg", "loss", "a loss leaves 0.7", "rack+cubic"),
    Mutant(
        "cdg",
        "timeout",
        "a timeout leaves ten packets",
        windowed(window_on_congestion=faults.restarts_with(10.0)),
    ),
    Mutant("cdg", "backoff-share", "a half is kept", "cdg(backoff_beta=0.5)"),
    Mutant("cdg", "probability", "a fourth of the factor", "cdg(backoff_factor=10)"),
    Mutant("cdg", "low-delay", "losses alone", "rack+reno"),
    Mutant("cdg", "longer-path", "the delay is compared with the smallest", "rack+ledbat(target=20)"),
    Mutant("cdg", "with-standard", "no heuristics of coexistence", "cdg(use_shadow=0,use_ineff=0)"),
    Mutant("cdg", "ineffective", "twenty back-offs without effect", "cdg(use_ineff=20)"),
    Mutant("cdg", "shadow", "no shadow window", "cdg(use_shadow=0)"),
    Mutant("cdg", "loss-tolerance", "losses halve the window", "rack+reno"),
    Mutant("cdg", "two-flows", "the other goes by losses", "cdg", {"flow.1.algorithm": "rack+reno"}),
    Mutant("allegro", "starting", "the rate triples", whole("allegro", double=rate_faults.triples)),
    Mutant(
        "allegro",
        "interval",
        "four round trips",
        whole("allegro", length=lambda self, _rate: 4.0 * self.srtt),
    ),
    Mutant(
        "allegro",
        "starting-exit",
        "the rate that fell, and more",
        whole("allegro", make_decisions=rate_faults.keeps_the_fall),
    ),
    Mutant("allegro", "epsilon", "steps of two hundredths", "allegro(epsilon_min=0.02,epsilon_max=0.1)"),
    Mutant("allegro", "trials", "trials at a tenth", "allegro(epsilon_min=0.1,epsilon_max=0.2)"),
    Mutant("allegro", "adjusting", "steps of two hundredths", "allegro(epsilon_min=0.02)"),
    Mutant("allegro", "full-link", "less is better", whole("allegro", utility=rate_faults.prefers_less)),
    Mutant("allegro", "loss-of-one", "losses halve the window", "rack+reno"),
    Mutant("allegro", "loss-of-four", "losses halve the window", "rack+reno"),
    Mutant("allegro", "small-buffer", "losses halve the window", "rack+reno"),
    Mutant("allegro", "satellite", "losses halve the window", "rack+reno"),
    Mutant("allegro", "changing-path", "losses halve the window", "rack+reno"),
    Mutant("allegro", "round-trips", "losses halve the window", "rack+reno"),
    Mutant("allegro", "cliff", "losses are ignored", "copa(competitive=0)"),
    Mutant("allegro", "equilibrium-loss", "a fifth may be lost", "allegro(margin=0.2)"),
    Mutant(
        "allegro", "equal-rates", "the other goes by losses", "allegro", {"flow.1.algorithm": "rack+reno"}
    ),
    Mutant("allegro", "latecomer", "the other goes by losses", "allegro", {"flow.1.algorithm": "rack+reno"}),
    Mutant("vivace", "starting", "the rate triples", whole("vivace", double=rate_faults.triples_in_start)),
    Mutant(
        "vivace",
        "starting-exit",
        "the rate that fell",
        whole("vivace", halve=lambda self: setattr(self, "doubles", False)),
    ),
    Mutant("vivace", "boundary", "a boundary of a half", "vivace(omega=0.5)"),
    Mutant("vivace", "boundary-widens", "the boundary stays", "vivace(delta=0)"),
    Mutant("vivace", "trials", "trials at 15 %", "vivace(epsilon=0.15)"),
    Mutant("vivace", "base-delay", "delays are ignored", "vivace(latency=0)"),
    Mutant("vivace", "small-buffer", "losses halve the window", "rack+reno"),
    Mutant("vivace", "equal-rates", "delays are ignored", "vivace(latency=0)"),
    Mutant("vivace", "latecomer", "the other goes by losses", "vivace", {"flow.1.algorithm": "rack+reno"}),
    Mutant("vivace", "loss-of-one", "losses halve the window", "rack+reno"),
    Mutant("vivace", "loss-of-four", "losses halve the window", "rack+reno"),
    Mutant("vivace", "loss-of-ten", "losses cost nothing", "vivace(loss=0)"),
    Mutant("vivace", "faster-link", "a hundredth of each step", "vivace(theta=0.01,delta=0)"),
    Mutant("vivace", "slower-link", "delays are ignored", "rack+reno"),
    Mutant("vivace", "timeout", "timeouts are ignored", whole("vivace", on_timeout=faults.nothing)),
    Mutant("vivace", "noise", "a window of eight packets", "vivace", EIGHT),
    Mutant("vivace", "with-cubic", "delays cost little", "vivace-linux"),
    Mutant("vivace", "with-many", "a window of four packets", "vivace", FOUR),
    Mutant(
        "rledbat",
        "target",
        "a target of 200 ms",
        "newreno",
        {"flow.0.tcp.receiver_control": "rledbat(target=200)"},
    ),
    Mutant("rledbat", "full-link", "a window of eight packets", "newreno", EIGHT),
    Mutant("rledbat", "yields", "no control of the receiver", "newreno", {"flow.0.tcp": {}}),
    Mutant("rledbat", "comes-back", "the standard flow stays", "newreno", {"flow.1.stop": "60 s"}),
    Mutant("rledbat", "two-receivers", "the other has none", "newreno", {"flow.1.tcp": {}}),
    Mutant("rledbat", "slowdowns", "no control of the receiver", "newreno", {"flow.0.tcp": {}}),
    Mutant(
        "rledbat",
        "slow-start",
        "twenty packets at first",
        windowed(ss_begin=faults.twice_as_large),
        {"flow.0.tcp": {}},
    ),
    Mutant("rledbat", "smaller-window", "a larger buffer", "newreno", {"tcp.receive_window": "40 packets"}),
    Mutant("rledbat", "loss", "a loss leaves seven eighths", "rack+scalable", {"flow.0.tcp": {}}),
    Mutant("rledbat", "reordering", "the sender takes late packets for lost", "rack+cubic"),
    Mutant("rledbat", "both-windows", "losses change nothing", "copa(competitive=0)", {"flow.0.tcp": {}}),
)
