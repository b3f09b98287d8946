//! From the records of the kernel to the facts of a controller, and from its decision to the numbers of the kernel.
//!
//! The kernel reports an episode before the acknowledgment that shows it; that acknowledgment also counts the round
//! trips. So a signal is held back until its acknowledgment comes, which has the same time. Meanwhile the answer
//! published before is in force.

use ackclock_congestion::{
    Ack, Congestion, CongestionControl, Decision, Event as Other, LossSample, Signal, Start,
};
use ackclock_transport::facts::{RateSampler, RateState, SignalFilter, Suspension, TxRecord};
use ackclock_units::{Duration, Time};

use crate::answer::{Answer, Windows, pacing, threshold};
use crate::event::{Event, Kind, State};
use crate::history::{History, Past};

/// The largest window after idleness: the kernel's initial window (RFC 6928; RFC 5681, 4.1).
const RESTART_WINDOW: f64 = 10.0;

/// The counts of a flow's controller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Acknowledgments.
    pub acks: u64,
    /// Congestion episodes that began with a loss.
    pub losses: u32,
    /// Congestion episodes that began with a mark.
    pub marks: u32,
    /// Timeouts.
    pub timeouts: u32,
    /// Episodes that the kernel found spurious afterwards.
    pub spurious: u32,
    /// Packets declared lost.
    pub lost: u64,
    /// The times at which episodes began, in seconds of the kernel's clock.
    pub episodes: Vec<f64>,
}

/// A signal whose acknowledgment has not come yet.
#[derive(Clone, Copy, Debug)]
struct PendingSignal {
    now: Time,
    signal: Signal,
    flight: f64,
    in_flight: f64,
}

/// Packets delivered, lost and marked: totals or increments.
#[derive(Clone, Copy, Debug, Default)]
struct PacketCounts {
    delivered: u32,
    lost: u32,
    marked: u32,
}

/// A flow of the kernel and its controller.
#[derive(Clone)]
pub struct Flow {
    controller: Box<dyn CongestionControl>,
    decision: Decision,
    is_sampled: bool,
    sampler: RateSampler,
    signals: SignalFilter,
    suspension: Suspension,
    history: History,
    pending: Option<PendingSignal>,
    /// The kernel's counts at the first record. The counts below are relative to them.
    base: PacketCounts,
    /// The counts at the latest record.
    known: PacketCounts,
    /// The packets delivered in segments of earlier sizes, and their number converted to segments of the
    /// present size.
    resized: (u64, f64),
    mss: u32,
    state: State,
    has_timed_out: bool,
    now: Time,
    srtt: Duration,
    min_rtt: Duration,
    counts: Counts,
}

impl Flow {
    /// The windows with which a flow begins: the windows in force.
    pub fn start(event: &Event) -> Start {
        Start {
            initial_window: f64::from(event.cwnd.max(1)),
            initial_ssthresh: threshold(event.ssthresh),
            ..Start::default()
        }
    }

    /// A flow that begins with a record of [`Kind::Start`].
    pub fn new(controller: Box<dyn CongestionControl>, event: &Event) -> Flow {
        let needs = controller.needs();
        let mut history = History::default();
        history.push(Past { delivered: 0, in_flight: event.in_flight, lost: 0 });
        Flow {
            decision: controller.decision(),
            is_sampled: needs.samples || needs.pacing,
            controller,
            sampler: RateSampler::default(),
            signals: SignalFilter::default(),
            suspension: Suspension::default(),
            history,
            pending: None,
            base: PacketCounts { delivered: event.delivered, lost: event.lost, marked: event.marked },
            known: PacketCounts::default(),
            resized: (0, 0.0),
            mss: event.mss,
            state: State::Open,
            has_timed_out: false,
            now: time(event.now_us),
            srtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            counts: Counts::default(),
        }
    }

    /// Takes the next record. Returns the answer to it, or none while a signal waits for its acknowledgment.
    pub fn take(&mut self, event: &Event) -> Option<Answer> {
        let now = time(event.now_us);
        if self.pending.is_some_and(|pending| pending.now != now || event.kind != Kind::Ack) {
            self.complete();
        }
        self.now = self.now.max(now);
        self.resize(event.mss);
        match event.kind {
            Kind::Ack => self.acknowledge(event),
            Kind::Loss => self.hold(Signal::Loss, event),
            Kind::Mark => self.hold(Signal::Ecn, event),
            Kind::Timeout => self.time_out(event),
            Kind::Undo => self.undo(),
            Kind::Idle => self.call(|controller| {
                controller.on_event(&Other::IdleRestart { restart_window: RESTART_WINDOW })
            }),
            Kind::Start | Kind::End => {}
        }
        self.state = event.state;
        self.pending.is_none().then(|| self.answer(event))
    }

    /// The controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        &*self.controller
    }

    /// The counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The answer to the kernel until the next acknowledgment. The windows after a loss, a mark or idleness are computed on copies
    /// of the controller.
    fn answer(&self, event: &Event) -> Answer {
        let after = |signal| {
            let mut copy = self.controller.clone();
            let flight = f64::from(event.outstanding.max(1));
            copy.on_congestion(&Congestion {
                now: self.now,
                signal,
                flight,
                restart: false,
                repeated: false,
            });
            Windows::of(&*copy)
        };
        let idle = || {
            let mut copy = self.controller.clone();
            copy.on_event(&Other::IdleRestart { restart_window: RESTART_WINDOW });
            Windows::of(&*copy).cwnd
        };
        Answer {
            now: Windows::of(&*self.controller),
            after_loss: after(Signal::Loss),
            after_mark: event.ecn.then(|| after(Signal::Ecn)),
            idle_cwnd: (event.in_flight == 0).then(idle),
            pacing: pacing(&self.decision, self.mss),
        }
    }

    /// Calls the controller. If its deadline has passed, calls it for that first, since an idle kernel calls nothing.
    fn call(&mut self, call: impl FnOnce(&mut dyn CongestionControl) -> Decision) {
        let now = self.now;
        if self.decision.wake.is_some_and(|wake| wake <= now) {
            self.decision = self.controller.on_event(&Other::Deadline { now });
        }
        self.decision = call(&mut *self.controller);
    }

    fn hold(&mut self, signal: Signal, event: &Event) {
        let flight = f64::from(event.outstanding.max(1));
        let in_flight = f64::from(event.in_flight);
        self.pending = Some(PendingSignal { now: time(event.now_us), signal, flight, in_flight });
    }

    /// Completes a signal that a timer found, by an empty acknowledgment.
    fn complete(&mut self) {
        let Some(PendingSignal { now, in_flight: flight, .. }) = self.pending else { return };
        if !self.signal() {
            return;
        }
        let ack = Ack {
            now,
            acks: 0,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            in_flight: flight,
            round: self.sampler.round(),
            suspended: true,
            recovering: true,
            ..Ack::default()
        };
        self.call(|controller| controller.on_ack(&ack));
    }

    /// Reports the signal that was held back, unless an episode began in this round trip.
    fn signal(&mut self) -> bool {
        let round = self.sampler.round();
        let Some(PendingSignal { now, signal, flight, .. }) = self.pending.take() else { return false };
        if !self.signals.admits(round) {
            return false;
        }
        self.signals.begin(round);
        self.suspension.begin(round, false);
        *(if signal == Signal::Ecn { &mut self.counts.marks } else { &mut self.counts.losses }) += 1;
        self.counts.episodes.push(now.as_secs_f64());
        let congestion = Congestion { now, signal, flight, restart: false, repeated: false };
        self.call(|controller| controller.on_congestion(&congestion));
        true
    }

    fn time_out(&mut self, event: &Event) {
        let lost = self.newly_lost(event);
        self.sampler.on_lost(lost);
        self.signals.time_out();
        self.suspension.end();
        self.counts.timeouts += 1;
        self.counts.episodes.push(self.now.as_secs_f64());
        let repeated = std::mem::replace(&mut self.has_timed_out, true) && event.repeated;
        let flight = f64::from(event.outstanding.max(1));
        let congestion =
            Congestion { now: self.now, signal: Signal::Timeout, flight, restart: true, repeated };
        self.call(|controller| controller.on_congestion(&congestion));
    }

    fn undo(&mut self) {
        self.counts.spurious += 1;
        self.suspension.end();
        self.has_timed_out = false;
        self.call(|controller| controller.on_event(&Other::Spurious));
    }

    fn acknowledge(&mut self, event: &Event) {
        self.counts.acks += 1;
        // The packets in flight after those that the previous acknowledgment released were sent.
        self.history.sent(event.prior_in_flight);
        let new = self.newly_counted(event);
        let newest = self.newest(event);
        let is_sampled = self.is_sampled && event.interval_us.is_some();
        let missed = self.catch_up(event, newest.as_ref(), new.delivered);
        let mut rate = self.sampler.update(self.now, new.delivered - missed, newest.as_ref(), is_sampled);
        self.sampler.on_lost(new.lost);
        rate = rate.filter(|rate| rate.prior_delivered >= self.resized.0 as f64);
        if let Some(rate) = &mut rate {
            rate.lost += f64::from(new.lost);
            rate.prior_delivered += self.resized.1 - self.resized.0 as f64;
        }
        let rtt = self.measure(event);
        let loss = (self.is_sampled && new.lost > 0).then(|| self.loss(event, newest.as_ref(), &new));
        let is_congested = self.signal();
        let round = self.sampler.round();
        let recovers = |state: State| state == State::Recovery;
        let ack = Ack {
            now: self.now,
            acks: acknowledgments(new.delivered),
            delivered: f64::from(new.delivered),
            lost: f64::from(new.lost),
            ce_marked: f64::from(new.marked),
            in_flight: f64::from(event.in_flight),
            rtt,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            round,
            suspended: is_congested
                || recovers(self.state)
                || recovers(event.state)
                || self.suspension.applies(round),
            advanced: event.advanced,
            window_limited: event.window_limited,
            recovering: event.state >= State::Recovery,
            loss,
            rate,
            ..Ack::default()
        };
        self.call(|controller| controller.on_ack(&ack));
        let PacketCounts { delivered, lost, .. } = self.known;
        self.history.push(Past { delivered, in_flight: event.in_flight, lost });
    }

    /// Counts packets that arrived before the newest one was sent, and that no earlier record counts: now and then the kernel
    /// counts a delivery without a call of its congestion control. Returns their number, of the `new` ones.
    fn catch_up(&mut self, event: &Event, newest: Option<&TxRecord>, new: u32) -> u32 {
        let Some(newest) = newest else { return 0 };
        let ahead = newest.delivered().wrapping_sub(self.sampler.delivered() as u32).cast_signed();
        let missed = u32::try_from(ahead).unwrap_or(0).min(new);
        self.sampler.update(time(event.prior_us), missed, None, false);
        missed
    }

    /// The growth of the kernel's counts since the latest acknowledgment. They are totals, so nothing is counted twice or left out if
    /// a record is missing.
    fn newly_counted(&mut self, event: &Event) -> PacketCounts {
        let lost = self.newly_lost(event);
        let PacketCounts { delivered, marked, .. } = &mut self.known;
        PacketCounts {
            delivered: growth(event.delivered, self.base.delivered, delivered),
            lost,
            marked: growth(event.marked, self.base.marked, marked),
        }
    }

    /// The packets newly declared lost. What else is new waits for the next acknowledgment.
    fn newly_lost(&mut self, event: &Event) -> u32 {
        let lost = growth(event.lost, self.base.lost, &mut self.known.lost);
        self.counts.lost += u64::from(lost);
        lost
    }

    /// The record of the newest delivered packet, unless it was sent before the controller took over.
    fn newest(&mut self, event: &Event) -> Option<TxRecord> {
        let delivered = event.prior_delivered.wrapping_sub(self.base.delivered);
        if !event.has_newest || delivered.cast_signed() < 0 || delivered > self.known.delivered {
            return None;
        }
        let past = self.history.when(delivered);
        let state = RateState::new(
            time(event.prior_us),
            time(event.sent_us.saturating_sub(u64::from(event.sending_us))),
            past.map_or(self.known.lost, |past| past.lost),
            past.map_or(event.prior_in_flight, |past| past.in_flight),
            event.app_limited,
        );
        Some(TxRecord::new(time(event.sent_us), delivered, state))
    }

    /// The facts of packets declared lost. The kernel reports their number, but not which they are: they were sent at
    /// about the same time as the newest delivered packet.
    fn loss(&self, event: &Event, newest: Option<&TxRecord>, new: &PacketCounts) -> LossSample {
        let sample = newest.map(|newest| self.sampler.loss_sample(&newest.rate()));
        let unknown = LossSample {
            tx_in_flight: f64::from(event.prior_in_flight),
            lost: f64::from(new.lost),
            app_limited: event.app_limited,
        };
        sample.unwrap_or(unknown)
    }

    fn measure(&mut self, event: &Event) -> Option<Duration> {
        let rtt = Duration::from_micros(u64::from(event.rtt_us?));
        self.min_rtt = if self.min_rtt.is_zero() { rtt } else { self.min_rtt.min(rtt) };
        self.srtt = Duration::from_micros(u64::from(event.srtt_us.max(1)));
        Some(rtt)
    }

    /// Changes the size of segments. Samples that span the change are left out.
    fn resize(&mut self, mss: u32) {
        let from = std::mem::replace(&mut self.mss, mss);
        if from == mss || from == 0 || mss == 0 {
            return;
        }
        let event = Other::SegmentSize { from, to: mss };
        let delivered = u64::from(self.known.delivered);
        let total = self.resized.1 + (delivered - self.resized.0) as f64;
        self.resized = (delivered, total * event.scale());
        self.call(|controller| controller.on_event(&event));
    }
}

/// The growth of a total of the kernel's, which is `known` from then on.
fn growth(total: u32, base: u32, known: &mut u32) -> u32 {
    let count = total.wrapping_sub(base);
    let grown = count.wrapping_sub(*known);
    // The kernel takes marks back if a packet turns out to be lost.
    if grown.cast_signed() < 0 {
        return 0;
    }
    *known = count;
    grown
}

/// The number of acknowledgments for which one stands. A receiver that merges packets (GRO) answers many with one,
/// instead of every other packet.
fn acknowledgments(delivered: u32) -> u32 {
    delivered.div_ceil(2).max(1)
}

fn time(micros: u64) -> Time {
    Time::from_nanos(1000 * micros)
}
