//! CDG: consequences that Linux' `tcp_cdg.c` and the paper of Hayes and Armitage state.

use crate::common::assert_near;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Event, Signal, Start};
use ackclock_units::{Duration, Time};

/// A sender that is told of one acknowledgment after the other, with a full window in flight.
struct Sender {
    controller: Box<dyn CongestionControl>,
    now: Time,
    ack: Ack,
}

impl Sender {
    fn new(spec: &str, initial_window: f64, initial_ssthresh: f64) -> Sender {
        let spec: ControllerSpec = spec.parse().expect("a test's specification");
        let controller = spec.build(&Start { initial_window, initial_ssthresh, ..Start::default() });
        let ack = Ack { delivered: 1.0, advanced: true, window_limited: true, ..Ack::default() };
        Sender { controller, now: Time::ZERO, ack }
    }

    /// In congestion avoidance.
    fn avoiding(spec: &str, window: f64) -> Sender {
        Sender::new(spec, window, window)
    }

    fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    fn gauge(&self, name: &str) -> f64 {
        crate::common::gauge(|take| self.controller.observe(take), name)
    }

    fn packet(&mut self, rtt_us: u64) {
        let rtt = Duration::from_micros(rtt_us);
        self.now += rtt / self.cwnd() as u64;
        let in_flight = self.cwnd().floor() - self.ack.delivered;
        let times = Ack { now: self.now, rtt: Some(rtt), srtt: rtt, min_rtt: rtt, ..self.ack };
        self.controller.on_ack(&Ack { in_flight, ..times });
    }

    /// The acknowledgments of a window, all with this round-trip time.
    fn round(&mut self, rtt_us: u64) {
        for _ in 0..self.cwnd() as u32 {
            self.packet(rtt_us);
        }
    }

    fn rounds(&mut self, rtts_us: &[u64]) {
        for &rtt_us in rtts_us {
            self.round(rtt_us);
        }
    }

    fn signal(&mut self, signal: Signal) {
        let (now, flight, restart) = (self.now, self.cwnd(), signal == Signal::Timeout);
        self.controller.on_congestion(&Congestion { now, signal, flight, restart, repeated: false });
    }

    fn loss(&mut self) {
        self.signal(Signal::Loss);
    }
}

/// A sender that has just begun to back off from 100 packets.
fn backing_off(parameters: &str) -> Sender {
    let mut sender = Sender::avoiding(&format!("cdg(backoff_factor=1000000,{parameters})"), 99.0);
    sender.round(50_000);
    sender.packet(52_000);
    sender
}

/// Part of a thousand senders that back off where a round trip is this much longer than the one before.
fn backs_off(parameters: &str, rise_us: u64) -> f64 {
    let count = (0..1_000)
        .filter(|seed| {
            let mut sender = Sender::avoiding(&format!("cdg(seed={seed},{parameters})"), 20.0);
            sender.round(50_000);
            sender.packet(50_000 + rise_us);
            sender.gauge("cdg_ineffective_backoffs") > 0.0
        })
        .count();
    count as f64 / 1_000.0
}

/// The paper's P = 1 - exp(-g / G) with G = 3 ms; `backoff_factor` is 1000 / (G window). A gradient of G backs off with
/// 1 - 1/e, whether it is that of one round trip or the first of eight. Tolerance: four standard deviations of a thousand draws.
#[test]
fn the_probability_is_that_of_the_paper() {
    let tolerance = 4.0 * (0.25_f64 / 1_000.0).sqrt();
    for (window, factor) in [(1, 1_000.0 / 3.0), (8, 1_000.0 / (3.0 * 8.0))] {
        let parameters = format!("window={window},backoff_factor={factor}");
        assert_near(backs_off(&parameters, 3_000), 0.632, tolerance);
        assert_near(backs_off(&parameters, 1_000), 0.283, tolerance);
        assert_near(backs_off(&parameters, 9_000), 0.950, tolerance);
    }
    assert_near(backs_off("window=8", 3_000), 0.635, tolerance);
}

/// By hand: 724 of 1024 parts of 100 packets are 70. Over the next window of acknowledgments 100 packets become 85 half way; the
/// one after it finds 70, and growth continues from there.
#[test]
fn a_back_off_takes_a_round_trip_to_the_square_root_of_a_half() {
    let mut sender = backing_off("window=8");
    assert_near(sender.cwnd(), 100.0, 0.0);
    for (packets, window) in [(50, 85.0), (49, 70.3), (1, 70.0), (70, 71.0)] {
        for _ in 0..packets {
            sender.packet(52_000);
        }
        assert_near(sender.cwnd(), window, 1e-9);
    }
}

/// A delay that is constant, falls or is long leaves standard TCP's growth of a packet per round trip.
#[test]
fn a_delay_that_does_not_rise_is_no_signal() {
    let mut sender = Sender::avoiding("cdg(backoff_factor=1000000)", 20.0);
    sender.rounds(&[400_000, 400_000, 300_000, 200_000, 200_000, 100_000, 100_000, 100_000]);
    assert_near(sender.cwnd(), 28.0, 1.0);
    assert!(sender.controller.ssthresh() <= 20.0);
}

/// The largest round-trip time counts where the smallest does not rise: a queue that grows without emptying faster.
#[test]
fn the_larger_of_the_round_trip_times_counts_too() {
    for (largest, backoffs) in [(50_000, 0.0), (70_000, 1.0)] {
        let mut sender = Sender::avoiding("cdg(backoff_factor=1000000)", 20.0);
        sender.rounds(&[50_000, 50_000]);
        // The smallest stays at 50 ms.
        sender.packet(50_000);
        for _ in 0..10 {
            sender.packet(largest);
        }
        for _ in 0..12 {
            sender.packet(50_000);
        }
        assert_near(sender.gauge("cdg_ineffective_backoffs"), backoffs, 0.0);
    }
}

/// Rises without end are another flow's queue: after five back-offs without a falling delay there is no sixth, and
/// the window grows. A fall of 32 us in the sum of gradients gives leave again.
#[test]
fn five_ineffective_back_offs_are_enough() {
    let spec = "cdg(backoff_factor=1000000,window=1)";
    let mut sender = Sender::avoiding(spec, 200.0);
    let mut rtt = 50_000;
    let mut windows = Vec::new();
    for _ in 0..40 {
        rtt += 1_000;
        sender.round(rtt);
        windows.push(sender.cwnd());
    }
    assert!(sender.gauge("cdg_ineffective_backoffs") > 5.0);
    // Five back-offs from some 200 packets: a window of 200 * 0.707^5 = 35, and growth from there.
    let least = windows.iter().copied().fold(f64::INFINITY, f64::min);
    assert_near(least, 36.0, 4.0);
    assert!(windows[39] > least + 15.0, "{windows:?}");
    sender.rounds(&[rtt - 1_000, rtt - 1_000]);
    assert_near(sender.gauge("cdg_ineffective_backoffs"), 0.0, 0.0);
    let before = sender.cwnd();
    sender.rounds(&[rtt, rtt, rtt]);
    assert!(sender.cwnd() < 0.8 * before);
    // Without the heuristic they go on.
    let mut plain = Sender::avoiding("cdg(backoff_factor=1000000,window=1,use_ineff=0)", 200.0);
    for step in 1..=40 {
        plain.round(50_000 + 1_000 * step);
    }
    assert!(plain.cwnd() < 6.0, "{}", plain.cwnd());
}

/// A sender of 100 packets after a back-off to 70.
fn after_a_back_off(parameters: &str) -> Sender {
    let mut sender = backing_off(parameters);
    for _ in 0..100 {
        sender.packet(52_000);
    }
    sender
}

/// The shadow window is where standard TCP would be: a loss after a back-off keeps half of that, and at least half of the window.
/// By hand: 100 packets back off to 70. The shadow's half is 50, the window's 35.
#[test]
fn a_loss_halves_the_shadow_window() {
    for (parameters, kept) in [("use_shadow=1", 50.0), ("use_shadow=0", 35.0)] {
        let mut sender = after_a_back_off(parameters);
        assert_near(sender.cwnd(), 70.0, 0.0);
        assert_near(sender.gauge("cdg_shadow_window_packets"), 100.0, 0.0);
        sender.loss();
        assert_near(sender.cwnd(), kept, 0.0);
        assert_near(sender.gauge("cdg_shadow_window_packets"), 50.0, 0.0);
    }
    // An application that does not use the window takes the shadow down to it.
    let mut sender = after_a_back_off("use_shadow=1");
    sender.ack.window_limited = false;
    sender.packet(52_000);
    sender.loss();
    assert_near(sender.cwnd(), 35.0, 0.0);
}

/// No shadow keeps more than the window: two back-offs leave 50 of 100 packets, whose loss keeps 50.
#[test]
fn the_shadow_window_counts_up_to_twice_the_window() {
    let mut sender = Sender::avoiding("cdg(backoff_factor=1000000,window=1,use_ineff=0)", 100.0);
    for step in 0..20 {
        sender.round(50_000 + 1_000 * step);
    }
    let before = sender.cwnd();
    assert!(sender.gauge("cdg_shadow_window_packets") > 2.0 * before);
    sender.signal(Signal::Ecn);
    assert_near(sender.cwnd(), before.floor(), 1.0);
}

/// With `use_tolerance` a loss counts where the smallest delay rises and the largest does not: the queue is full.
#[test]
fn a_loss_without_a_full_queue_is_tolerated() {
    let spec = "cdg(backoff_factor=0,use_tolerance=1,window=1)";
    let mut rising = Sender::avoiding(spec, 40.0);
    rising.rounds(&[50_000, 55_000, 60_000, 65_000]);
    let before = rising.cwnd();
    rising.loss();
    assert_near(rising.cwnd(), before, 0.0);

    let mut full = Sender::avoiding(spec, 40.0);
    for least in [50_000, 52_000, 54_000, 56_000] {
        full.packet(80_000);
        full.round(least);
    }
    let before = full.cwnd();
    full.loss();
    assert_near(full.cwnd(), (before / 2.0).floor(), 0.0);
}

/// The round trips of a reduction give no gradient: the delay rises by 40 ms in one, and stays there.
#[test]
fn round_trips_of_a_reduction_are_left_out() {
    let mut sender = backing_off("window=1");
    sender.rounds(&[90_000, 90_000, 90_000, 90_000]);
    assert_near(sender.gauge("cdg_ineffective_backoffs"), 1.0, 0.0);
    sender.rounds(&[92_000, 92_000]);
    assert_near(sender.gauge("cdg_ineffective_backoffs"), 2.0, 0.0);
}

/// A receiver that acknowledges every other packet sends a single one by its timer: its round-trip time is no signal.
#[test]
fn a_delayed_acknowledgment_is_no_rise() {
    for (packets, backoffs) in [(2.0, 0.0), (1.0, 1.0)] {
        let mut sender = Sender::avoiding("cdg(backoff_factor=1000000)", 20.0);
        sender.ack.delivered = packets;
        for _ in 0..24 {
            sender.packet(50_000);
        }
        sender.ack.delivered = 1.0;
        sender.packet(90_000);
        sender.ack.delivered = packets;
        for _ in 0..24 {
            sender.packet(50_000);
        }
        assert_near(sender.gauge("cdg_ineffective_backoffs"), backoffs, 0.0);
    }
}

/// A train of acknowledgments as long as half the smallest delay ends slow start, and so does a delay an eighth above it.
#[test]
fn slow_start_ends_by_the_train_or_by_the_delay() {
    let after = |detect: u32, rtt_us: u64| {
        let mut sender = Sender::new(&format!("cdg(backoff_factor=0,hystart_detect={detect})"), 10.0, 1e9);
        sender.rounds(&[50_000, 50_000]);
        sender.round(rtt_us);
        sender.round(rtt_us);
        sender.controller.ssthresh()
    };
    // Gaps of 50 ms / 20 packets are below 3 ms from the second round on.
    assert!(after(1, 50_000) < 100.0);
    assert!(after(2, 50_000) > 1e8);
    assert!(after(2, 56_000) > 1e8);
    assert!(after(2, 57_000) < 100.0);
    assert!(after(0, 57_000) > 1e8);
}

#[test]
fn an_undone_loss_gives_the_window_back_and_leaves_the_shadow() {
    let mut sender = Sender::avoiding("cdg", 60.0);
    sender.loss();
    assert_near(sender.cwnd(), 30.0, 0.0);
    sender.controller.on_event(&Event::Spurious);
    assert_near(sender.cwnd(), 60.0, 0.0);
    assert_near(sender.controller.ssthresh(), 60.0, 0.0);
    assert_near(sender.gauge("cdg_shadow_window_packets"), 30.0, 0.0);
}

/// A loss while backing off keeps the threshold of the back-off.
#[test]
fn a_loss_within_a_back_off_reduces_once() {
    let mut sender = backing_off("window=8");
    sender.signal(Signal::Ecn);
    assert_near(sender.cwnd(), 100.0, 0.0);
    sender.loss();
    assert_near(sender.cwnd(), 70.0, 0.0);
    // The shadow was not halved; the loss of a later round trip halves it.
    assert_near(sender.gauge("cdg_shadow_window_packets"), 100.0, 0.0);
    sender.round(52_000);
    sender.loss();
    assert_near(sender.cwnd(), 50.0, 0.0);
    // A timeout in a back-off leaves its threshold.
    let mut sender = backing_off("window=8");
    sender.signal(Signal::Timeout);
    assert_near(sender.cwnd(), 1.0, 0.0);
    assert_near(sender.controller.ssthresh(), 70.0, 0.0);
}

/// In Linux' state of loss `tcp_enter_cwr` does nothing: slow start after a timeout goes on when a rise backs off.
#[test]
fn no_back_off_while_a_timeout_is_repaired() {
    let mut sender = Sender::avoiding("cdg(backoff_factor=1000000,hystart_detect=0)", 99.0);
    sender.round(50_000);
    sender.signal(Signal::Timeout);
    sender.ack.recovering = true;
    sender.rounds(&[50_000, 50_000, 60_000, 70_000, 80_000]);
    assert!(sender.gauge("cdg_ineffective_backoffs") > 1.0);
    assert!(sender.cwnd() > 20.0, "{}", sender.cwnd());
    assert_near(sender.controller.ssthresh(), 50.0, 0.0);
}
