//! The obligations of any controller to its driver, and the further ones of a window-based controller.

use ackclock_units::{Duration, PacketRate, Time};

use super::checked::checked;
use super::contract::Call;
use crate::control::CongestionControl;
use crate::declaration::Fact;
use crate::facts::{Ack, Congestion, Event, LossSample, Needs, RateSample, Signal};

/// Something that happens to a sender; any sequence of these makes sense.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// An acknowledgment arrives.
    Ack {
        /// Acknowledgments it stands for, at least one.
        acks: u32,
        /// Packets newly delivered.
        delivered: u8,
        /// The time since the last event, in microseconds.
        gap: u32,
        /// The part of the round-trip time spent in queues, in microseconds.
        queueing: u32,
        /// True if it measured the round-trip time.
        sampled: bool,
        /// True if it is the first of a new round.
        closes_round: bool,
        /// True if the window held the sender back.
        window_limited: bool,
        /// A hundredth of the value of facts that this sender does not measure, such as the feedback of
        /// routers; none if they are absent.
        told: Option<i8>,
    },
    /// An acknowledgment shows a loss or a mark; ignored in the round trip after another.
    Congestion {
        /// A mark rather than a loss.
        marked: bool,
        /// True if the sender starts again from one packet.
        restart: bool,
        /// True if the loss is detected after its acknowledgment was reported: an empty one completes the signal.
        late: bool,
        /// Packets in flight.
        flight: f64,
    },
    /// The retransmission timer expires; again, if nothing was delivered since it did.
    Timeout {
        /// Packets in flight.
        flight: f64,
    },
    /// The last congestion episode was spurious.
    Spurious,
    /// The sender was idle.
    Idle {
        /// The restart window in packets, above zero.
        window: f64,
    },
    /// The window was not validated.
    NotValidated {
        /// The largest window in packets, above zero.
        window: f64,
        /// The threshold in packets, above zero.
        ssthresh: f64,
    },
    /// The size of segments changes.
    SegmentSize {
        /// The new size in bytes, above zero.
        to: u32,
    },
}

/// Turns operations into calls that keep the contract: a sender reduced to its facts.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    now: Time,
    round: u64,
    srtt: Duration,
    min_rtt: Duration,
    /// The round of the latest episode.
    suspended: Option<u64>,
    timed_out: bool,
    /// Packets delivered, and how many of them when the present round began.
    delivered: f64,
    delivered_before_round: f64,
    /// The size of segments in bytes; [`FIRST_SEGMENT_SIZE`] while it has not changed.
    segment_size: Option<u32>,
}

/// The size of segments in bytes to begin with.
const FIRST_SEGMENT_SIZE: u32 = 1460;

/// The round-trip time without queues.
const BASE_RTT: Duration = Duration::from_millis(50);

impl Sender {
    /// The calls that report `operation` to a controller.
    pub fn calls(&mut self, operation: &Operation) -> Vec<Call> {
        match *operation {
            Operation::Ack {
                acks,
                delivered,
                gap,
                queueing,
                sampled,
                closes_round,
                window_limited,
                told,
            } => {
                self.now += Duration::from_micros(u64::from(gap));
                if closes_round {
                    self.round += 1;
                    self.delivered_before_round = self.delivered;
                }
                if self.suspended.is_some_and(|round| self.round > round) {
                    self.suspended = None;
                }
                self.timed_out &= delivered == 0;
                let rtt = sampled.then(|| self.sample(Duration::from_micros(u64::from(queueing))));
                let told = told.map(|hundreds| Ack::take(&mut || 100.0 * f64::from(hundreds)));
                let told = Ack { acks, window_limited, ce_marked: 0.0, ..told.unwrap_or_default() };
                let mut ack = self.ack(f64::from(delivered), 0.0, rtt, told);
                if let Some(sample) = &mut ack.rate {
                    sample.app_limited = !window_limited;
                }
                vec![Call::Ack(ack)]
            }
            Operation::Congestion { marked, restart, late, flight } => {
                if self.suspended.is_some() {
                    return Vec::new();
                }
                let full = Ack { window_limited: true, ..Ack::default() };
                let reported = late.then(|| Call::Ack(self.ack(1.0, 0.0, None, full)));
                self.suspended = Some(self.round);
                let signal = if marked { Signal::Ecn } else { Signal::Loss };
                let event = Congestion { now: self.now, signal, flight, restart, repeated: false };
                let delivered = f64::from(!late);
                let told = Ack { acks: u32::from(!late), ce_marked: f64::from(marked), ..full };
                let ack = self.ack(delivered, f64::from(!marked), None, told);
                reported.into_iter().chain([Call::Congestion(event), Call::Ack(ack)]).collect()
            }
            Operation::Timeout { flight } => {
                self.now += Duration::from_secs(1);
                self.suspended = None;
                let repeated = std::mem::replace(&mut self.timed_out, true);
                let signal = Signal::Timeout;
                vec![Call::Congestion(Congestion { now: self.now, signal, flight, restart: true, repeated })]
            }
            Operation::Spurious => {
                self.timed_out = false;
                vec![Call::Event(Event::Spurious)]
            }
            Operation::Idle { window } => vec![Call::Event(Event::IdleRestart { restart_window: window })],
            Operation::NotValidated { window, ssthresh } => {
                vec![Call::Event(Event::NotValidated { window, ssthresh })]
            }
            Operation::SegmentSize { to } => vec![Call::Event(self.resize(to))],
        }
    }

    /// The sender's own counts are in packets, too.
    fn resize(&mut self, to: u32) -> Event {
        let from = self.segment_size.replace(to).unwrap_or(FIRST_SEGMENT_SIZE);
        let event = Event::SegmentSize { from, to };
        self.delivered *= event.scale();
        self.delivered_before_round *= event.scale();
        event
    }

    fn sample(&mut self, queueing: Duration) -> Duration {
        let rtt = BASE_RTT + queueing;
        let first = self.srtt.is_zero();
        self.srtt = if first { rtt } else { (self.srtt * 7 + rtt) / 8 };
        self.min_rtt = if first { rtt } else { self.min_rtt.min(rtt) };
        rtt
    }

    /// An acknowledgment with the facts that this sender measures; `told` gives the others.
    fn ack(&mut self, delivered: f64, lost: f64, rtt: Option<Duration>, told: Ack) -> Ack {
        self.delivered += delivered;
        let Sender { now, round, srtt, min_rtt, .. } = *self;
        let tx_in_flight = 10.0;
        let of_round = self.delivered - self.delivered_before_round;
        let rate = rtt.filter(|_| of_round > 0.0).map(|interval| RateSample {
            rate: PacketRate(of_round / interval.as_secs_f64()),
            app_limited: false,
            interval,
            delivered: of_round,
            prior_delivered: self.delivered_before_round,
            lost,
            tx_in_flight,
        });
        Ack {
            now,
            delivered,
            lost,
            in_flight: (tx_in_flight - delivered).max(0.0),
            rtt,
            srtt,
            min_rtt,
            round,
            suspended: self.suspended.is_some(),
            advanced: delivered > 0.0,
            largest_flight: if told.window_limited { told.largest_flight } else { tx_in_flight },
            recovering: self.suspended.is_some(),
            loss: (lost > 0.0).then_some(LossSample { tx_in_flight, lost, app_limited: false }),
            rate,
            ..told
        }
    }
}

/// Runs `operations` on window-based controllers from `make`, in the [`checked`] wrapper.
///
/// # Panics
/// If a controller breaks a rule of [`exercise_model`], or one of those for window-based controllers: -
/// suspended growth does not happen; - a restart leaves at most one packet, and a repeated timeout does
/// not change the threshold;
/// - a congestion signal raises no window above two packets;
/// - an undo brings back at least the window, and exactly the threshold, from before the episode.
pub fn exercise(make: &dyn Fn() -> Box<dyn CongestionControl>, operations: &[Operation]) {
    let mut before_episode = None;
    drive(make, operations, &mut |call, unchanged, before, after| {
        check_call(call, before, after, &mut before_episode);
        remember_episode(call, unchanged, &mut before_episode);
    });
}

/// Runs `operations` on controllers of any kind from `make`, in the [`checked`] wrapper.
///
/// # Panics
/// If a controller breaks a rule that all have in common:
/// - two of them, and a copy of one, answer alike;
/// - one that needs no samples answers the same without them;
/// - a restart does not raise the window;
/// - an undo lowers nothing, and neither an idle restart nor a lack of validation raises the window;
/// - a new segment size keeps the window's bytes, or leaves one packet.
pub fn exercise_model(make: &dyn Fn() -> Box<dyn CongestionControl>, operations: &[Operation]) {
    drive(make, operations, &mut |call, _, before, after| {
        let (falls, rises) = (after.0 <= before.0, after.0 >= before.0);
        match call {
            Call::Congestion(event) => assert!(falls || !event.restart, "{before:?}, {after:?} at {call:?}"),
            Call::Event(Event::Spurious) => assert!(rises, "{before:?} became {after:?} at an undo"),
            Call::Event(Event::IdleRestart { .. } | Event::NotValidated { .. }) => {
                assert!(falls, "{before:?} became {after:?} at {call:?}");
            }
            Call::Event(event @ Event::SegmentSize { .. }) => check_scale(event, before, after),
            Call::Ack(_) | Call::Event(Event::Deadline { .. }) => {}
        }
    });
}

/// Windows keep their bytes, but do not fall below one packet.
fn check_scale(event: &Event, before: Windows, after: Windows) {
    for (before, after) in [(before.0, after.0), (before.1, after.1)] {
        let expected = before * event.scale();
        let same = after.to_bits() == expected.to_bits() || (after - expected).abs() <= 1e-9 * expected;
        assert!(same || after > expected && after <= expected + 1.0, "{before} became {after} at {event:?}");
    }
}

/// Window and threshold.
type Windows = (f64, f64);

fn windows(controller: &dyn CongestionControl) -> Windows {
    (controller.decision().cwnd, controller.ssthresh())
}

/// `check` gets each call, a copy of the controller from before the call, and the windows before and after it.
fn drive(
    make: &dyn Fn() -> Box<dyn CongestionControl>,
    operations: &[Operation],
    check: &mut dyn FnMut(&Call, &(dyn CongestionControl + 'static), Windows, Windows),
) {
    let (mut controller, _) = checked(make());
    let mut twin = make();
    let mut copy = controller.clone();
    let mut sender = Sender::default();
    for (index, operation) in operations.iter().enumerate() {
        for call in sender.calls(operation) {
            let before = windows(controller.as_ref());
            call.apply(controller.as_mut());
            check(&call, copy.as_ref(), before, windows(controller.as_ref()));
            let needed = needed(call, &twin.needs());
            for (other, call, whose) in
                [(&mut twin, needed, "a second controller"), (&mut copy, call, "a copy")]
            {
                call.apply(other.as_mut());
                assert_eq!(
                    gauges(controller.as_ref()),
                    gauges(other.as_ref()),
                    "{whose} differs after {call:?}"
                );
            }
        }
        // Now and then a new copy replaces the old one, and has to answer alike from there.
        if index % 16 == 0 {
            copy = controller.clone();
        }
    }
}

/// Removes the facts that `needs` does not name from a call.
fn needed(call: Call, needs: &Needs) -> Call {
    let Call::Ack(mut ack) = call else { return call };
    if !needs.samples {
        (ack.rate, ack.loss) = (None, None);
    }
    ack.feedback = ack.feedback.filter(|_| needs.explicit_feedback);
    Call::Ack(ack)
}

/// The controller from before an episode of congestion, which an undo brings back.
type BeforeEpisode = Option<Box<dyn CongestionControl>>;

/// Keeps a copy of the controller from before the last episode, scaled to the present segment size.
fn remember_episode(call: &Call, unchanged: &(dyn CongestionControl + 'static), episode: &mut BeforeEpisode) {
    match call {
        Call::Congestion(event) if !event.repeated => *episode = Some(dyn_clone::clone_box(unchanged)),
        Call::Event(Event::SegmentSize { .. }) => {
            if let Some(controller) = episode {
                call.apply(controller.as_mut());
            }
        }
        _ => {}
    }
}

/// `before` and `after` are the window and the threshold.
fn check_call(call: &Call, before: Windows, after: Windows, episode: &mut BeforeEpisode) {
    match call {
        Call::Ack(ack) => {
            let grown = after.0 > before.0;
            assert!(ack.may_grow() || !grown, "{before:?} became {after:?} at {call:?}");
        }
        Call::Congestion(event) => {
            // A window that is the sum of two parts may be larger by the last bit.
            let bound = before.0.max(2.0) * (1.0 + 1e-9);
            assert!(after.0 <= bound, "{before:?} became {after:?} at {call:?}");
            assert!(after.0 <= 1.0 || !event.restart, "{after:?} after the restart {call:?}");
            if event.repeated {
                assert!(unchanged((1.0, before.1), after), "{before:?} became {after:?} at {call:?}");
            }
        }
        Call::Event(Event::Spurious) => {
            let expected = episode.take().map_or(before, |controller| {
                let (cwnd, ssthresh) = windows(controller.as_ref());
                (cwnd.max(before.0), ssthresh)
            });
            // A window that is the sum of two parts may be smaller by the last bit.
            let near = (after.0 - expected.0).abs() <= 1e-9 * expected.0;
            let same = after.1.to_bits() == expected.1.to_bits();
            assert!(near && same, "{after:?} instead of {expected:?} after an undo");
        }
        Call::Event(Event::IdleRestart { restart_window }) => {
            let bound = before.0.min(restart_window.max(1.0));
            assert!(after.0 <= bound && unchanged((after.0, before.1), after), "{after:?} at {call:?}");
        }
        Call::Event(Event::NotValidated { window, ssthresh }) => {
            let bound = before.0.min(window.max(1.0)) * (1.0 + 1e-9);
            let threshold = ssthresh.max(1.0);
            assert!(
                after.0 <= bound && unchanged((after.0, threshold), after),
                "{after:?} instead of {bound} and {threshold} at {call:?}"
            );
        }
        Call::Event(event @ Event::SegmentSize { .. }) => check_scale(event, before, after),
        Call::Event(Event::Deadline { .. }) => {}
    }
}

fn unchanged(before: (f64, f64), after: (f64, f64)) -> bool {
    (before.0.to_bits(), before.1.to_bits()) == (after.0.to_bits(), after.1.to_bits())
}

/// Every quantity that a controller shows, bit by bit.
fn gauges(controller: &dyn CongestionControl) -> Vec<(&'static str, u64)> {
    let decision = controller.decision();
    let mut shown = vec![("cwnd", decision.cwnd.to_bits()), ("ssthresh", controller.ssthresh().to_bits())];
    shown.extend(decision.pacing_rate.map(|PacketRate(rate)| ("pacing_rate", rate.to_bits())));
    controller.observe(&mut |name, value| shown.push((name, value.to_bits())));
    shown
}
