//! From the callbacks of a QUIC stack to the facts of a controller.
//!
//! The difficulty is the order. A stack reports the packets acknowledged, the end of the batch, its losses, and marks.
//! A controller gets losses, the congestion signal, and then the acknowledgment, once. So a batch is held back until
//! the stack reports on another one or asks for the window.
//!
//! Amounts are in bytes, as the stacks count, until a controller gets them in packets of the datagrams' full size.

use std::collections::VecDeque;

use ackclock_congestion::{
    Ack, Congestion, CongestionControl, Decision, Event, LossSample, RateSample, Signal,
};
use ackclock_transport::facts::{RateSampler, SignalFilter, Suspension, TxRecord};
use ackclock_units::{Duration, PacketRate, Time};

use crate::counts::Counts;

/// Records of packets are kept for four smoothed round-trip times and a second: no stack waits longer before it
/// declares a packet lost.
const KEPT_ROUND_TRIPS: u64 = 4;
const KEPT: Duration = Duration::from_secs(1);

/// A datagram, or several sent at once.
#[derive(Clone, Copy)]
struct Sent {
    record: TxRecord,
    /// Bytes not known to be delivered or lost.
    left: u64,
}

/// The acknowledgments and losses of one moment.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct Batch {
    now: Time,
    delivered: u64,
    lost: u64,
    newest: Option<TxRecord>,
    /// In bytes; known at the end of the acknowledgments.
    in_flight: Option<u64>,
    app_limited: bool,
    loss: Option<LossSample>,
    rate: Option<RateSample>,
    /// True if it brought a congestion signal: then there is no growth.
    is_congested: bool,
    /// True if its deliveries and its round are counted.
    is_settled: bool,
    /// True if it contains all its acknowledgments.
    is_closed: bool,
}

/// The state between a stack and its controller, for adapters: a stack's callbacks go in, a window and a rate come out.
#[derive(Clone)]
pub struct Ledger {
    controller: Box<dyn CongestionControl>,
    decision: Decision,
    is_sampled: bool,
    /// UDP payload bytes of a full datagram.
    mtu: u32,
    sent: VecDeque<Sent>,
    sampler: RateSampler,
    signals: SignalFilter,
    suspension: Suspension,
    /// The sending time of the latest-sent packet acknowledged.
    latest_acked: Option<Time>,
    /// The time of the latest congestion signal: losses and marks of packets sent before it report the same congestion
    /// (RFC 9002, 7.3.1).
    recovery_start: Option<Time>,
    /// True while no packet sent after that signal is acknowledged (RFC 9002, 7.3.2).
    is_recovering: bool,
    /// True after persistent congestion, until the next acknowledgment.
    has_timed_out: bool,
    in_flight: u64,
    latest_rtt: Duration,
    srtt: Duration,
    min_rtt: Duration,
    batch: Option<Batch>,
    counts: Counts,
    /// The beginning of the window in force, and the integral of the window until then.
    cwnd_since: Time,
    cwnd_seconds: f64,
}

impl Ledger {
    /// A connection with datagrams of `mtu` bytes of UDP payload.
    pub fn new(controller: Box<dyn CongestionControl>, mtu: u16) -> Ledger {
        let needs = controller.needs();
        Ledger {
            decision: controller.decision(),
            is_sampled: needs.samples || needs.pacing,
            controller,
            mtu: u32::from(mtu),
            sent: VecDeque::new(),
            sampler: RateSampler::default(),
            signals: SignalFilter::default(),
            suspension: Suspension::default(),
            latest_acked: None,
            recovery_start: None,
            is_recovering: false,
            has_timed_out: false,
            in_flight: 0,
            latest_rtt: Duration::ZERO,
            srtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            batch: None,
            counts: Counts::default(),
            cwnd_since: Time::ZERO,
            cwnd_seconds: 0.0,
        }
    }

    /// Datagrams of this many bytes left.
    pub fn on_sent(&mut self, now: Time, bytes: u64) {
        self.flush();
        self.pass(now);
        if self.in_flight == 0 {
            self.sampler.restart(now);
        }
        self.in_flight += bytes;
        let record = self.sampler.record(now, self.in_flight as u32);
        self.sent.push_back(Sent { record, left: bytes });
    }

    /// A packet of this many bytes, sent at `sent_at`, is acknowledged.
    pub fn on_acked(&mut self, now: Time, sent_at: Time, bytes: u64) {
        if self.batch.is_some_and(|batch| batch.is_closed) {
            self.flush();
        }
        let record = self.take(sent_at, bytes);
        let batch = self.batch_at(now);
        batch.delivered += bytes;
        if let Some(record) = record
            && batch.newest.is_none_or(|newest| newest.sent_at() <= record.sent_at())
        {
            batch.newest = Some(record);
        }
    }

    /// All packets of an acknowledgment have been reported.
    pub fn on_end_acks(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        let batch = self.batch_at(now);
        (batch.in_flight, batch.app_limited, batch.is_closed) = (Some(in_flight), app_limited, true);
    }

    /// Packets of this many bytes are lost, the latest of which was sent at `sent_at`.
    pub fn on_lost(&mut self, now: Time, sent_at: Time, bytes: u64, is_persistent: bool) {
        let record = self.take(sent_at, bytes);
        let outstanding = self.in_flight;
        let flight = self.batch_at(now).in_flight.unwrap_or(outstanding);
        // The rate sample includes these losses once all are known.
        self.settle();
        self.sampler.on_lost(bytes as u32);
        let loss = record.map(|record| self.sampler.loss_sample(&record.rate()));
        let batch = self.batch_at(now);
        batch.lost += bytes;
        batch.in_flight = Some(flight.saturating_sub(bytes));
        batch.is_closed = true;
        batch.loss = loss.or(batch.loss);
        if is_persistent {
            self.congest(now, Signal::Timeout, flight);
        } else if self.recovery_start.is_none_or(|start| sent_at > start) {
            self.congest(now, Signal::Loss, flight);
        }
    }

    /// The latest acknowledgment reports marks; the latest packet that it acknowledges was sent at `sent_at`.
    pub fn on_marked(&mut self, now: Time, sent_at: Time) {
        let outstanding = self.in_flight;
        let batch = self.batch_at(now);
        batch.is_closed = true;
        // The flight when the acknowledgment arrived.
        let flight = batch.in_flight.map_or(outstanding, |left| left + batch.delivered);
        if self.recovery_start.is_none_or(|start| sent_at > start) {
            self.congest(now, Signal::Ecn, flight);
        }
    }

    /// The latest episode was spurious.
    pub fn on_spurious(&mut self) {
        self.flush();
        self.counts.spurious += 1;
        (self.is_recovering, self.recovery_start, self.has_timed_out) = (false, None, false);
        self.suspension.end();
        self.apply(self.latest_time(), |controller| controller.on_event(&Event::Spurious));
    }

    /// The size of full datagrams changed.
    pub fn on_mtu_update(&mut self, mtu: u16) {
        let (from, to) = (self.mtu, u32::from(mtu));
        if from == to {
            return;
        }
        self.flush();
        self.mtu = to;
        self.apply(self.latest_time(), |controller| controller.on_event(&Event::SegmentSize { from, to }));
    }

    /// The window in bytes. One byte more, since stacks send while the packets in flight and one more are below it.
    pub fn window(&mut self) -> u64 {
        self.flush();
        self.decision.cwnd.floor().max(1.0) as u64 * u64::from(self.mtu) + 1
    }

    /// The pacing rate in bytes per second.
    pub fn pacing_rate(&mut self) -> Option<u64> {
        self.flush();
        self.decision.pacing_rate.map(|rate| (rate.0 * f64::from(self.mtu)) as u64)
    }

    /// The slow-start threshold in bytes, if there is one.
    pub fn ssthresh(&self) -> Option<u64> {
        let packets = self.controller.ssthresh();
        packets.is_finite().then_some((packets * f64::from(self.mtu)) as u64)
    }

    /// The controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        &*self.controller
    }

    /// The decision in force.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Packets in flight.
    pub fn in_flight(&self) -> f64 {
        self.packets(self.in_flight)
    }

    /// The latest, the smoothed and the smallest round-trip time; zero before the first sample.
    pub fn round_trips(&self) -> [Duration; 3] {
        [self.latest_rtt, self.srtt, self.min_rtt]
    }

    /// The window integrated over time until `now`, in packet-seconds.
    pub fn cwnd_seconds(&self, now: Time) -> f64 {
        self.cwnd_seconds + self.decision.cwnd * now.max(self.cwnd_since).since(self.cwnd_since).as_secs_f64()
    }

    fn packets(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.mtu)
    }

    /// Calls the controller, and puts its answer into force.
    fn apply(&mut self, now: Time, call: impl FnOnce(&mut dyn CongestionControl) -> Decision) {
        self.cwnd_seconds = self.cwnd_seconds(now);
        self.cwnd_since = now.max(self.cwnd_since);
        self.decision = call(&mut *self.controller);
    }

    /// The time of the latest call, for events that have none of their own.
    fn latest_time(&self) -> Time {
        self.cwnd_since
    }

    /// Calls the controller if its deadline has passed, since an idle stack calls nothing.
    fn pass(&mut self, now: Time) {
        if self.decision.wake.is_some_and(|wake| wake <= now) {
            self.apply(now, |controller| controller.on_event(&Event::Deadline { now }));
        }
    }

    /// The record of a packet, found by its sending time: quinn 0.11 gives no packet number with an acknowledgment.
    fn take(&mut self, sent_at: Time, bytes: u64) -> Option<TxRecord> {
        let first = self.sent.partition_point(|sent| sent.record.sent_at() < sent_at);
        let mut same = self.sent.range_mut(first..).take_while(|sent| sent.record.sent_at() == sent_at);
        let Some(sent) = same.find(|sent| sent.left > 0) else {
            self.counts.unknown += 1;
            return None;
        };
        sent.left = sent.left.saturating_sub(bytes);
        Some(sent.record)
    }

    /// The batch of this instant. A batch of an earlier instant is complete.
    fn batch_at(&mut self, now: Time) -> &mut Batch {
        if self.batch.is_some_and(|batch| batch.now != now) {
            self.flush();
        }
        self.batch.get_or_insert_with(|| Batch { now, ..Batch::default() })
    }

    /// Begins an episode, unless one began in this round trip.
    fn congest(&mut self, now: Time, signal: Signal, flight: u64) {
        let restart = signal == Signal::Timeout;
        if restart && self.batch.is_some_and(|batch| batch.is_congested) {
            // The contract: an acknowledgment completes the previous signal.
            self.flush();
        }
        // The contract: rounds are counted first.
        self.settle();
        let round = self.sampler.round();
        if restart {
            self.signals.time_out();
            self.counts.timeouts += 1;
        } else if self.signals.admits(round) && !self.batch.is_some_and(|batch| batch.is_congested) {
            self.signals.begin(round);
            *(if signal == Signal::Ecn { &mut self.counts.marks } else { &mut self.counts.losses }) += 1;
        } else {
            return;
        }
        self.suspension.begin(round, restart);
        (self.is_recovering, self.recovery_start) = (!restart, Some(now));
        let repeated = restart && std::mem::replace(&mut self.has_timed_out, true);
        let flight = self.packets(flight);
        let signal = Congestion { now, signal, flight, restart, repeated };
        self.pass(now);
        self.apply(now, |controller| controller.on_congestion(&signal));
        self.batch_at(now).is_congested = true;
    }

    /// Counts the deliveries of the batch, its round and its round-trip time, once.
    fn settle(&mut self) {
        let Some(batch) = self.batch.filter(|batch| !batch.is_settled) else { return };
        let sampled = self.is_sampled;
        let rate = self.sampler.update(batch.now, batch.delivered as u32, batch.newest.as_ref(), sampled);
        if let Some(batch) = &mut self.batch {
            (batch.is_settled, batch.rate) = (true, rate);
        }
    }

    /// A round-trip time, if the latest-sent packet so far is newly acknowledged (RFC 9002, 5.1). The estimate follows
    /// RFC 9002, 5.3, but includes the delay of the acknowledgment, as TCP's does.
    fn sample_rtt(&mut self, now: Time, newest: &TxRecord) -> Option<Duration> {
        let sent_at = newest.sent_at();
        let rtt = now.since(sent_at);
        if self.latest_acked.is_some_and(|latest| sent_at < latest) || rtt.is_zero() {
            return None;
        }
        self.latest_acked = Some(sent_at);
        self.latest_rtt = rtt;
        if self.srtt.is_zero() {
            (self.srtt, self.min_rtt) = (rtt, rtt);
        } else {
            self.srtt = Duration::from_nanos((self.srtt.as_nanos() * 7 + rtt.as_nanos()) / 8);
            self.min_rtt = self.min_rtt.min(rtt);
        }
        self.counts.rtt_samples += 1;
        self.counts.rtt_total += rtt;
        self.counts.rtt_max = self.counts.rtt_max.max(rtt);
        Some(rtt)
    }

    /// Reports the batch that is held back.
    fn flush(&mut self) {
        self.settle();
        let Some(batch) = self.batch.take() else { return };
        let now = batch.now;
        self.in_flight = batch.in_flight.unwrap_or(self.in_flight);
        let rtt = batch.newest.and_then(|newest| self.sample_rtt(now, &newest));
        let mut rate = batch.rate.map(|rate| self.in_packets(rate));
        if let Some(rate) = &mut rate {
            rate.lost += self.packets(batch.lost);
        }
        if let Some(newest) = batch.newest {
            self.has_timed_out = false;
            self.is_recovering &= self.recovery_start.is_some_and(|start| newest.sent_at() <= start);
        }
        if batch.app_limited {
            self.sampler.mark_app_limited(self.in_flight as u32);
        }
        let round = self.sampler.round();
        let ack = Ack {
            now,
            acks: u32::from(batch.delivered > 0),
            delivered: self.packets(batch.delivered),
            lost: self.packets(batch.lost),
            in_flight: self.in_flight(),
            rtt,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            round,
            suspended: batch.is_congested || self.is_recovering || self.suspension.applies(round),
            advanced: batch.delivered > 0,
            window_limited: !batch.app_limited,
            recovering: self.is_recovering,
            loss: batch.loss.filter(|_| self.is_sampled).map(|loss| LossSample {
                tx_in_flight: loss.tx_in_flight / f64::from(self.mtu),
                lost: loss.lost / f64::from(self.mtu),
                ..loss
            }),
            rate,
            ..Ack::default()
        };
        self.pass(now);
        self.apply(now, |controller| controller.on_ack(&ack));
        self.counts.acks += 1;
        self.forget(now);
    }

    /// A sample of the rate in packets.
    fn in_packets(&self, sample: RateSample) -> RateSample {
        let mtu = f64::from(self.mtu);
        RateSample {
            rate: PacketRate(sample.rate.0 / mtu),
            delivered: sample.delivered / mtu,
            prior_delivered: sample.prior_delivered / mtu,
            lost: sample.lost / mtu,
            tx_in_flight: sample.tx_in_flight / mtu,
            ..sample
        }
    }

    /// Forgets packets that are settled, or about which no report can come any more.
    fn forget(&mut self, now: Time) {
        let kept = (KEPT_ROUND_TRIPS * self.srtt.as_nanos()).saturating_add(KEPT.as_nanos());
        let oldest = Time::from_nanos(now.as_nanos().saturating_sub(kept));
        while self.sent.front().is_some_and(|sent| sent.left == 0 || sent.record.sent_at() < oldest) {
            self.sent.pop_front();
        }
    }
}
