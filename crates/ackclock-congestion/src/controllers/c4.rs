//! C4, Christian's congestion control code (draft-huitema-ccwg-c4-spec-02).

mod congestion;
mod entry;
mod round_trips;

use ackclock_catalogue::Values;
use ackclock_units::PacketRate;

use self::congestion::{Kind, Rates, Signal, delay_signal, sensitivity};
pub(crate) use self::entry::ENTRY;
use self::round_trips::RoundTrips;
use crate::control::{CongestionControl, Decision};
use crate::facts::{self, Ack, Congestion, Event, Needs, RateSample, Start};

/// The coefficient alpha of each state: the pacing rate in nominal rates.
const INITIAL: f64 = 2.0;
const RECOVERY: f64 = 15.0 / 16.0;
const CRUISING: f64 = 1.0;
/// A push by alpha, after eras of cruising: by the probe level.
const PUSHES: [(f64, u32); 4] = [(33.0 / 32.0, 4), (LOW_PUSH, 4), (1.25, 4), (1.25, 1)];
/// Up to this alpha any increase of the rate counts, above it a quarter of the expected one.
const LOW_PUSH: f64 = 17.0 / 16.0;
/// The probe level at the beginning, and after pushes that failed.
const FIRST_LEVEL: usize = 1;
/// Eras without increase that end the initial state, and those after which a delay or marks end it.
const MOST_WITHOUT_INCREASE: i32 = 3;
const ENOUGH_WITHOUT_INCREASE: i32 = 2;
/// Packets received before losses end the initial state.
const ENOUGH_RECEIVED: f64 = 20.0;
/// The largest margin of the window for errors of the round-trip time, in nanoseconds.
const LARGEST_MARGIN: f64 = 15e6;
/// The smallest window in packets.
const LEAST_WINDOW: f64 = 2.0;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> C4 {
    C4 {
        packet_size: values.get("packet_size"),
        uses_ecn: values.is_on("ecn"),
        restart_window: start.restart_window,
        cwnd: start.initial_window,
        pacing_rate: None,
        state: State::Initial,
        nominal_rate: 0.0,
        round_trips: RoundTrips::default(),
        rates: Rates::default(),
        alpha: INITIAL,
        era: Era { begins: 0.0, rate: 0.0, alpha_before: INITIAL, is_limited: true },
        delivered: 0.0,
        initial: Initial { cwnd: start.initial_window, begins: 0.0, without_increase: 0 },
        level: FIRST_LEVEL,
        cruises_left: 0,
        recovery: Recovery::default(),
        recovered_rate: 0.0,
        was_restarted: false,
        timed_out: false,
    }
}

/// Paces at a nominal rate, which only grows by measurements and falls by congestion, and keeps in flight what this rate takes in
/// the largest round-trip time of the path without a queue.
///
/// The whole text could be had of the version before this one and of a later one; they agree where nothing is said below. The
/// probe level, which only this version has, follows the table in the code of its author of the same week. Choices:
///
/// - *The rate* is the transport's sample: deliveries over the time to send or to acknowledge them, whichever is longer.
/// - *An era* ends with the sample of a packet sent after its beginning, and is limited by the application if all its samples are.
/// - *An increase* in the initial state is a quarter of what doubling would bring, as in the code and as after a push.
/// - *An acknowledgment* tells a delay, then losses, then marks, then a rate; of several signals the first reduces.
/// - *A loss* that reduces the rate takes the same part of the largest round-trip time, as in the code.
/// - *A timeout* sends again from the restart window, and the next delivery restores the window. What the timer declares lost is
///   no loss (in QUIC a probe timeout is no signal).
/// - *After idleness* the window stays, as it is paced.
#[derive(Clone, Debug)]
pub struct C4 {
    /// In bytes.
    packet_size: f64,
    uses_ecn: bool,
    restart_window: f64,
    cwnd: f64,
    pacing_rate: Option<PacketRate>,
    state: State,
    /// In packets per second.
    nominal_rate: f64,
    round_trips: RoundTrips,
    rates: Rates,
    alpha: f64,
    era: Era,
    /// Packets of the connection.
    delivered: f64,
    initial: Initial,
    level: usize,
    cruises_left: u32,
    recovery: Recovery,
    /// The nominal rate at the end of the last recovery.
    recovered_rate: f64,
    /// The initial state was entered again for jitter.
    was_restarted: bool,
    /// True from a timeout until the next delivery.
    timed_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Initial,
    Recovery,
    Cruising,
    Pushing,
}

/// A round trip.
#[derive(Clone, Copy, Debug)]
struct Era {
    /// Packets delivered, and the nominal rate, when it began.
    begins: f64,
    rate: f64,
    /// Alpha of the era before, whose packets are acknowledged in this one.
    alpha_before: f64,
    /// The application limited the sender in all of it.
    is_limited: bool,
}

/// The initial state.
#[derive(Clone, Copy, Debug)]
struct Initial {
    /// A window that grows as in slow start.
    cwnd: f64,
    /// Packets delivered when it began.
    begins: f64,
    /// Eras in a row.
    without_increase: i32,
}

/// A recovery.
#[derive(Clone, Copy, Debug, Default)]
struct Recovery {
    /// Alpha of the push before it; none if it follows no push.
    push: Option<f64>,
    /// It was entered by a signal, or one came in it; and one of losses or marks.
    is_congested: bool,
    is_pushed_too_far: bool,
}

impl C4 {
    fn sensitivity(&self) -> f64 {
        sensitivity(self.nominal_rate * self.packet_size)
    }

    fn take_delay(&mut self, rtt: f64) {
        self.round_trips.measure(rtt);
        let max_rtt = self.round_trips.nominal_max();
        self.respond(delay_signal(rtt, max_rtt, self.sensitivity()));
    }

    fn take_losses_and_marks(&mut self, ack: &Ack) {
        let lost = if self.timed_out { 0.0 } else { ack.lost };
        let by_losses = self.rates.measure_losses(lost, ack.delivered, self.sensitivity());
        self.respond(by_losses);
        if self.uses_ecn {
            let by_marks = self.rates.measure_marks(ack.ce_marked, ack.delivered, self.sensitivity());
            self.respond(by_marks);
        }
    }

    /// A signal enters recovery, and reduces the rate only where the rate is not above the nominal one: in cruising.
    fn respond(&mut self, signal: Option<Signal>) {
        let Some(Signal { kind, beta }) = signal else { return };
        match self.state {
            State::Initial => {
                let is_believed = if kind == Kind::Loss {
                    self.delivered - self.initial.begins > ENOUGH_RECEIVED
                } else {
                    self.initial.without_increase >= ENOUGH_WITHOUT_INCREASE
                };
                if !is_believed || self.nominal_rate <= 0.0 {
                    return;
                }
                self.exit_initial();
            }
            State::Recovery => {}
            State::Cruising => {
                self.nominal_rate *= 1.0 - beta;
                if kind == Kind::Loss {
                    self.round_trips.reduce(1.0 - beta);
                }
                self.enter_recovery();
            }
            State::Pushing => self.enter_recovery(),
        }
        self.recovery.is_congested = true;
        self.recovery.is_pushed_too_far |= kind != Kind::Delay;
    }

    /// The nominal rate grows by measurements, except of packets from before a congestion.
    fn take_rate(&mut self, sample: &RateSample) {
        self.era.is_limited &= sample.app_limited;
        if !(self.state == State::Recovery && self.recovery.is_congested) {
            self.nominal_rate = self.nominal_rate.max(sample.rate.0);
        }
    }

    fn begin_era(&mut self, state: State, alpha: f64) {
        let alpha_before = std::mem::replace(&mut self.alpha, alpha);
        self.era = Era { begins: self.delivered, rate: self.nominal_rate, alpha_before, is_limited: true };
        self.state = state;
        self.round_trips.begin_era();
    }

    fn end_era(&mut self) {
        if self.state != State::Initial && self.era.alpha_before <= 1.0 {
            self.round_trips.take_era();
        }
        match self.state {
            State::Initial => self.end_initial_era(),
            State::Recovery => self.exit_recovery(),
            State::Cruising => {
                self.cruises_left = self.cruises_left.saturating_sub(1);
                if self.cruises_left == 0 && !self.era.is_limited {
                    self.begin_era(State::Pushing, PUSHES[self.level].0);
                } else {
                    self.begin_era(State::Cruising, CRUISING);
                }
            }
            State::Pushing => self.enter_recovery(),
        }
    }

    fn enter_initial(&mut self) {
        let cwnd = self.nominal_rate * self.round_trips.nominal_max() / 1e9;
        self.initial = Initial { cwnd, begins: self.delivered, without_increase: 0 };
        self.level = FIRST_LEVEL;
        self.begin_era(State::Initial, INITIAL);
    }

    fn end_initial_era(&mut self) {
        if self.has_increased(self.era.rate, INITIAL) {
            self.initial.without_increase = 0;
        } else if !self.era.is_limited && self.nominal_rate > 0.0 {
            self.initial.without_increase += 1;
        }
        if self.initial.without_increase >= MOST_WITHOUT_INCREASE {
            self.exit_initial();
        } else {
            self.begin_era(State::Initial, INITIAL);
        }
    }

    fn exit_initial(&mut self) {
        self.round_trips.set_nominal_max(1e9 * (self.window() / 2.0) / self.nominal_rate);
        self.enter_recovery();
    }

    fn enter_recovery(&mut self) {
        let push = (self.state == State::Pushing).then_some(self.alpha);
        self.recovery = Recovery { push, ..Recovery::default() };
        self.begin_era(State::Recovery, RECOVERY);
    }

    fn exit_recovery(&mut self) {
        if let Some(push) = self.recovery.push {
            self.judge(push);
        }
        self.recovered_rate = self.nominal_rate;
        self.rates.restart();
        let has_jitter = !self.was_restarted && self.round_trips.show_jitter();
        self.was_restarted |= has_jitter;
        if has_jitter || self.level >= PUSHES.len() {
            return self.enter_initial();
        }
        self.cruises_left = PUSHES[self.level].1;
        self.begin_era(State::Cruising, CRUISING);
    }

    /// A push succeeds that raised the rate by enough, without a signal.
    fn judge(&mut self, push: f64) {
        if !self.recovery.is_congested && self.has_increased(self.recovered_rate, push) {
            self.level += 1;
        } else if self.recovery.is_pushed_too_far {
            self.level = 0;
        } else if self.recovery.is_congested || !self.era.is_limited {
            self.level = self.level.saturating_sub(1).max(FIRST_LEVEL);
        }
    }

    /// The nominal rate has increased by a quarter of what alpha would bring at least; after a low push, by anything.
    fn has_increased(&self, since: f64, alpha: f64) -> bool {
        let expected = if alpha > LOW_PUSH { alpha - 1.0 } else { 0.0 };
        self.nominal_rate >= since * (1.0 + expected / 4.0) && self.nominal_rate > since
    }

    fn window(&self) -> f64 {
        let (rate, max_rtt) = (self.alpha * self.nominal_rate, self.round_trips.nominal_max());
        if self.state == State::Initial {
            return self.initial.cwnd.max(rate * max_rtt / 1e9).max(LEAST_WINDOW);
        }
        let margin = (max_rtt / 4.0).min(LARGEST_MARGIN);
        (rate * (max_rtt + margin) / 1e9).max(LEAST_WINDOW)
    }

    fn apply(&mut self) {
        self.cwnd = self.window();
        if self.nominal_rate > 0.0 && self.round_trips.nominal_max() > 0.0 {
            self.pacing_rate = Some(PacketRate(self.alpha * self.nominal_rate));
        }
    }

    /// The state for segments of another size.
    fn scale(&mut self, ratio: f64) {
        self.packet_size /= ratio;
        self.cwnd = (self.cwnd * ratio).max(1.0);
        if let Some(PacketRate(rate)) = &mut self.pacing_rate {
            *rate *= ratio;
        }
        let C4 { nominal_rate, era, delivered, initial, recovered_rate, .. } = self;
        let initial = [&mut initial.cwnd, &mut initial.begins];
        let all = [nominal_rate, &mut era.begins, &mut era.rate, delivered, recovered_rate];
        all.into_iter().chain(initial).for_each(|packets| *packets *= ratio);
    }
}

impl CongestionControl for C4 {
    fn needs(&self) -> Needs {
        let needs = Needs { samples: true, pacing: true, recovery: Some("rack"), ..Needs::default() };
        Needs { accurate_ecn: self.uses_ecn, l4s: self.uses_ecn, ..needs }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.delivered += ack.delivered;
        if let Some(rtt) = ack.rtt {
            self.take_delay(rtt.as_nanos() as f64);
        }
        self.take_losses_and_marks(ack);
        self.timed_out &= ack.delivered <= 0.0;
        if let Some(sample) = &ack.rate {
            self.take_rate(sample);
        }
        if self.state == State::Initial {
            self.initial.cwnd += ack.delivered * libm::pow(0.125, f64::from(self.initial.without_increase));
        }
        if ack.rate.is_some_and(|sample| sample.prior_delivered >= self.era.begins) {
            self.end_era();
        }
        if !self.timed_out {
            self.apply();
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        self.timed_out |= event.signal == facts::Signal::Timeout;
        if event.restart {
            self.cwnd = self.cwnd.min(self.restart_window);
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::IdleRestart { restart_window } if self.delivered <= 0.0 => {
                self.cwnd = self.cwnd.min(restart_window.max(1.0));
                self.initial.cwnd = self.cwnd;
            }
            Event::Spurious
            | Event::IdleRestart { .. }
            | Event::NotValidated { .. }
            | Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => self.scale(event.scale()),
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: self.pacing_rate, wake: None }
    }

    /// There is no threshold.
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("c4_state", f64::from(self.state as u8));
        gauge("c4_nominal_rate_packet_per_s", self.nominal_rate);
        gauge("c4_nominal_max_rtt_s", self.round_trips.nominal_max() / 1e9);
        gauge("c4_alpha", self.alpha);
        gauge("c4_probe_level", self.level as f64);
    }
}
