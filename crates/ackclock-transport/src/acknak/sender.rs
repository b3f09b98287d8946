//! The source of an ACK/NAK flow: connection phase, window, and the retransmission timeout.

use std::sync::Arc;

use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal};
use ackclock_units::{Duration, Time};

use crate::{Counters, Transfer};

use super::message::{Kind, Message};
use super::settings::Settings;

/// The smallest round-trip propagation delay from which the timeout is computed: with a timeout of zero, time would not
/// pass.
const LEAST_ROUND_TRIP: Duration = Duration::from_millis(1);
/// The timeout lies between these multiples of the round-trip propagation delay (5.1.3.3).
const LEAST_RTO: u64 = 2;
const LARGEST_RTO: u64 = 32;
/// The weight of a new sample in the smoothed round-trip time. MesoNet states none; this is RFC 6298's.
const GAIN: f64 = 0.125;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not opened yet.
    Idle,
    SynSent,
    Transfer,
    /// All packets of the flow are acknowledged.
    Finished,
    /// No SYN was answered.
    Failed,
}

/// The source of an ACK/NAK flow: driven by [`on_segment`](Self::on_segment) and [`on_timer`](Self::on_timer), then
/// polled by [`poll_transmit`](Self::poll_transmit) until it has nothing to send, and by
/// [`next_wake`](Self::next_wake).
///
/// It sends at once all packets that the window allows: the model has no pacing.
pub struct Sender {
    /// The window, in force since `cwnd_since`.
    cwnd: f64,
    cwnd_since: Time,
    /// The window integrated over time until `cwnd_since`, in packet-nanoseconds.
    cwnd_nanos: f64,
    /// The number of the packet to be sent next (`nextSeq`), from one.
    next: u64,
    /// The highest number received in an ACK or NAK (`highSeq`).
    high: u64,
    /// The next number to send at the latest congestion signal: replies to lower numbers do not change the window.
    note: u64,
    /// The next number to send when the round trip began. The round trip ends with the reply to it.
    round_ends: u64,
    round: u64,
    /// ACKs and NAKs received: packets delivered.
    delivered: u64,
    /// Packets delivered or in flight before the latest loss or lost reply: those that the application had written by
    /// then. After its stop, all that it has written.
    written: u64,
    /// Packets sent while fewer were delivered or in flight than had been before: they replace others.
    resent: u64,
    /// Packets to be acknowledged before the flow is over: its size (`flowDTs`; `u64::MAX` without a limit), or those
    /// written when the application stopped.
    total: u64,
    /// Smoothed round-trip time in nanoseconds; zero before the first sample.
    srtt: f64,
    min_rtt: Duration,
    latest_rtt: Duration,
    /// Round-trip propagation delay.
    base: Duration,
    rto: Duration,
    /// The time of the opening, of the next SYN or of the retransmission timeout, depending on the state.
    deadline: Time,
    controller: Box<dyn CongestionControl>,
    /// The time at which the application stops, not before the opening; [`Time::MAX`] once it has.
    stop: Time,
    state: State,
    /// True if the application has stopped.
    has_stopped: bool,
    /// True if it stopped before all packets were sent, or before any was.
    is_cut: bool,
    syns: u16,
    /// The number of segments that may be sent now: a SYN, or the packets for which the window had room after the
    /// latest segment or timer, less those sent since.
    sendable: u32,
    timeouts: u32,
    fast_retransmits: u32,
    /// The sum of all round-trip times measured, and the longest.
    rtt_total: Duration,
    rtt_max: Duration,
    /// [`Time::MAX`] before.
    established_at: Time,
    finished_at: Time,
    settings: Arc<Settings>,
}

impl Sender {
    /// A source that opens at `transfer.start`, on a path with this round-trip propagation delay.
    pub fn new(
        settings: Arc<Settings>,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
        round_trip: Duration,
    ) -> Sender {
        let base = round_trip.max(LEAST_ROUND_TRIP);
        Sender {
            cwnd: controller.decision().cwnd,
            cwnd_since: Time::MAX,
            cwnd_nanos: 0.0,
            next: 1,
            high: 1,
            note: 0,
            round_ends: 0,
            round: 0,
            delivered: 0,
            written: 0,
            resent: 0,
            total: transfer.packets.unwrap_or(u64::MAX),
            srtt: 0.0,
            min_rtt: Duration::ZERO,
            latest_rtt: Duration::ZERO,
            base,
            rto: base.saturating_mul(LEAST_RTO),
            deadline: transfer.start,
            controller,
            stop: transfer.stop.max(transfer.start),
            state: State::Idle,
            has_stopped: false,
            is_cut: false,
            syns: 0,
            sendable: 0,
            timeouts: 0,
            fast_retransmits: 0,
            rtt_total: Duration::ZERO,
            rtt_max: Duration::ZERO,
            established_at: Time::MAX,
            finished_at: Time::MAX,
            settings,
        }
    }

    /// Resets the source for a new connection with another transfer.
    pub fn reopen(&mut self, controller: Box<dyn CongestionControl>, transfer: Transfer) {
        *self = Sender::new(Arc::clone(&self.settings), controller, transfer, self.base);
    }

    /// Takes a segment that arrived from the receiver.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Message) {
        let is_reply = matches!(segment.kind, Kind::Ack | Kind::Nak);
        if is_reply && self.state == State::Transfer {
            self.on_reply(now, segment);
        } else if segment.kind == Kind::SynAck && self.state == State::SynSent {
            self.establish(now);
        }
    }

    /// The next segment to send now, if there is one: a packet of the flow, or a SYN.
    #[expect(clippy::inline_always, reason = "a packet is made in its slot of the network")]
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Message> {
        if self.sendable == 0 {
            return None;
        }
        self.sendable -= 1;
        if self.state == State::SynSent {
            return Some(Message { kind: Kind::Syn, number: 0, sent_at: now });
        }
        let number = self.next;
        self.resent += u64::from(self.delivered + self.in_flight() < self.written);
        self.next += 1;
        Some(Message { kind: Kind::Data, number, sent_at: now })
    }

    /// Equations 41 and 42: the number of packets that may be sent is the room in the window, at most the number of
    /// packets still needed to complete the flow. A window below one packet counts as one, since otherwise nothing
    /// would ever be sent again.
    #[inline]
    fn fill_window(&mut self) {
        let unanswered = self.in_flight();
        // At most 2^32 packets, far more than memory holds.
        let window = u64::from(self.cwnd.max(1.0) as u32);
        let rest = self.total.saturating_sub(self.delivered + unanswered);
        self.sendable = window.saturating_sub(unanswered).min(rest) as u32;
    }

    /// The deadline at which [`on_timer`](Self::on_timer) is to be called; [`Time::MAX`] for never.
    #[inline]
    pub fn next_wake(&self) -> Time {
        self.stop.min(self.deadline)
    }

    /// Lets time pass: every timer that has expired by `now` takes effect.
    pub fn on_timer(&mut self, now: Time) {
        if self.state == State::Idle && now >= self.deadline {
            self.state = State::SynSent;
            self.send_syn(now);
        }
        if now >= self.stop {
            self.on_stop(now);
        }
        if now >= self.deadline {
            match self.state {
                State::SynSent => self.on_syn_timeout(now),
                _ => self.on_timeout(now),
            }
        }
        if self.state == State::Transfer {
            self.fill_window();
        }
    }

    /// The congestion window in packets.
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// The congestion controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        &*self.controller
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub fn srtt(&self) -> Duration {
        nanoseconds(self.srtt)
    }

    /// The newest round-trip time; zero before the first.
    pub fn latest_rtt(&self) -> Duration {
        self.latest_rtt
    }

    /// The smallest round-trip time; zero before the first.
    pub fn min_rtt(&self) -> Duration {
        self.min_rtt
    }

    /// The retransmission timeout, back-off included.
    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// Packets sent and not acknowledged (`unAkedDTs`, equation 41).
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.next - self.high
    }

    /// ACKs and NAKs received: packets known to be delivered.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Packets that the application has written so far. A packet that replaces a lost one, or one whose reply was lost,
    /// is not counted again.
    pub fn written(&self) -> u64 {
        self.written.max(self.delivered + self.in_flight()).min(self.total)
    }

    /// The counts so far, with the window integrated up to `now` or to the end of the flow. Packets that replace others which
    /// counted as lost when they were sent count as retransmissions, also where a reply came later than its timeout.
    pub fn counters(&self, now: Time) -> Counters {
        let until = self.closed_at().unwrap_or(now);
        let cwnd_seconds = (self.cwnd_nanos + self.cwnd * real(until.since(self.cwnd_since))) / 1e9;
        Counters {
            segments_sent: self.next - 1,
            retransmissions: self.resent,
            timeouts: self.timeouts,
            fast_retransmits: self.fast_retransmits,
            syns: u32::from(self.syns),
            // One for each reply.
            rtt_samples: self.delivered,
            rtt_total: self.rtt_total,
            rtt_max: self.rtt_max,
            cwnd_seconds,
            ..Counters::default()
        }
    }

    /// The time at which the connection was established.
    pub fn established_at(&self) -> Option<Time> {
        (self.established_at != Time::MAX).then_some(self.established_at)
    }

    /// The time at which the last packet sent was acknowledged. If none was sent, the time at which the connection was
    /// established; if no SYN was answered before the stop, the stop.
    pub fn closed_at(&self) -> Option<Time> {
        (self.finished_at != Time::MAX).then_some(self.finished_at)
    }

    /// As [`closed_at`](Self::closed_at), for a flow that no stop of the application has cut off.
    pub fn finished_at(&self) -> Option<Time> {
        self.closed_at().filter(|_| !self.is_cut)
    }

    /// True from the first SYN until all packets are acknowledged or the connection has failed.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::SynSent | State::Transfer)
    }

    /// True when all packets are acknowledged, or when no SYN was answered.
    #[inline]
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Finished | State::Failed)
    }

    /// True if the connection failed: no SYN was answered.
    pub fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Processes an ACK or NAK in the transfer phase: facts, then the signal if there is one, then the controller's `on_ack`.
    fn on_reply(&mut self, now: Time, segment: &Message) {
        let Message { kind, number, sent_at } = *segment;
        self.integrate_cwnd(now);
        // Packets below the acknowledged one without a reply. They are lost if this is a NAK.
        let missing = number.saturating_sub(self.high + 1);
        if missing > 0 {
            self.note_written();
        }
        self.delivered += 1;
        self.high = self.high.max(number);
        let rtt = self.measure(now.since(sent_at));
        if number > self.round_ends {
            self.round += 1;
            self.round_ends = self.next;
        }
        self.restart_timer(now);
        let is_nak = kind == Kind::Nak;
        // A reply carries the number after its packet. The packet must have been sent after the latest signal, so that
        // the window shrinks "only once within a round-trip time" (5.3.1).
        let qualifies = number > self.note;
        if is_nak && qualifies {
            self.note = self.next;
            self.fast_retransmits += 1;
            self.congest(now, Signal::Loss);
        }
        let decision = self.controller.on_ack(&Ack {
            now,
            delivered: 1.0,
            lost: if is_nak { packets(missing.max(1)) } else { 0.0 },
            in_flight: packets(self.in_flight()),
            rtt: Some(rtt),
            srtt: nanoseconds(self.srtt),
            min_rtt: self.min_rtt,
            round: self.round,
            suspended: !qualifies || is_nak,
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
        self.cwnd = decision.cwnd;
        if self.delivered >= self.total {
            self.finish(now);
        } else {
            self.fill_window();
        }
    }

    /// Notes how much was written, before packets are counted as lost.
    fn note_written(&mut self) {
        if !self.has_stopped {
            self.written = self.written.max(self.delivered + self.in_flight());
        }
    }

    /// Adds a round-trip time sample; one of zero counts as a nanosecond.
    fn measure(&mut self, rtt: Duration) -> Duration {
        let rtt = rtt.max(Duration::from_nanos(1));
        let nanos = real(rtt);
        if self.srtt > 0.0 {
            self.srtt += GAIN * (nanos - self.srtt);
            self.min_rtt = self.min_rtt.min(rtt);
        } else {
            self.srtt = nanos;
            self.min_rtt = rtt;
        }
        self.latest_rtt = rtt;
        self.rtt_total += rtt;
        self.rtt_max = self.rtt_max.max(rtt);
        rtt
    }

    /// The bounds of the timeout.
    fn least_rto(&self) -> Duration {
        self.base.saturating_mul(LEAST_RTO)
    }

    fn largest_rto(&self) -> Duration {
        self.base.saturating_mul(LARGEST_RTO)
    }

    /// 5.1.3.3: restarts the timer, with 1.5 times the smoothed round-trip time within the limits.
    fn restart_timer(&mut self, now: Time) {
        self.rto = nanoseconds(1.5 * self.srtt).max(self.least_rto()).min(self.largest_rto());
        self.deadline = now + self.rto;
    }

    /// 5.1.3.3 and 5.3.1: packets in flight count as lost, and the timeout doubles.
    fn on_timeout(&mut self, now: Time) {
        self.timeouts += 1;
        // One more than after a NAK: the first reply reports the packets that count as lost here. They must not count
        // twice. After a timeout the flow goes back to half its window (figure 5-4).
        self.note = self.next + 1;
        self.congest(now, Signal::Timeout);
        self.note_written();
        self.high = self.next;
        self.rto = self.rto.saturating_mul(2).min(self.largest_rto());
        self.deadline = now + self.rto;
    }

    /// Reports a signal. The flight is the window itself: equations 7 and 8 halve `cwnd`, whatever the packets in flight.
    /// No timeout is a repeated one, since no packet is sent twice.
    fn congest(&mut self, now: Time, signal: Signal) {
        self.integrate_cwnd(now);
        let restart = signal == Signal::Timeout;
        let signal = Congestion { now, signal, flight: self.cwnd, restart, repeated: false };
        self.cwnd = self.controller.on_congestion(&signal).cwnd;
    }

    /// The application stops. Losses are repaired after the stop, as in TCP.
    fn on_stop(&mut self, now: Time) {
        self.note_written();
        self.written = self.written.min(self.total);
        self.is_cut = self.written < self.total && (self.total < u64::MAX || self.written == 0);
        self.total = self.written;
        self.has_stopped = true;
        self.stop = Time::MAX;
        // If no SYN was answered yet, the flow ends here: no SYN is sent again.
        if self.state == State::SynSent || self.delivered >= self.total {
            self.finish(now);
        }
    }

    /// Equations 1 and 2.
    fn send_syn(&mut self, now: Time) {
        let doublings = self.syns.min(30);
        self.deadline = now + self.settings.syn_interval.saturating_mul(1 << doublings);
        self.syns = self.syns.saturating_add(1);
        self.sendable = 1;
    }

    fn on_syn_timeout(&mut self, now: Time) {
        if u32::from(self.syns) < self.settings.syn_attempts {
            self.send_syn(now);
        } else {
            self.state = State::Failed;
            self.deadline = Time::MAX;
            self.stop = Time::MAX;
            self.sendable = 0;
        }
    }

    /// The transfer phase begins, with the initial timeout.
    fn establish(&mut self, now: Time) {
        self.state = State::Transfer;
        self.established_at = now;
        self.cwnd_since = now;
        self.deadline = now + self.rto;
        if self.delivered >= self.total {
            self.finish(now);
        } else {
            self.fill_window();
        }
    }

    fn finish(&mut self, now: Time) {
        self.state = State::Finished;
        self.finished_at = now;
        self.deadline = Time::MAX;
        self.stop = Time::MAX;
        self.sendable = 0;
    }

    /// Adds the window in force until now to its integral over time.
    fn integrate_cwnd(&mut self, now: Time) {
        self.cwnd_nanos += self.cwnd * real(now.since(self.cwnd_since));
        self.cwnd_since = now;
    }
}

/// Nanoseconds as a real number, converted from a signed integer, for which processors have an instruction.
fn real(span: Duration) -> f64 {
    packets(span.as_nanos())
}

/// A count as a real number, likewise.
fn packets(count: u64) -> f64 {
    count.cast_signed() as f64
}

fn nanoseconds(real: f64) -> Duration {
    // Converted to a signed integer first, for which processors have an instruction.
    Duration::from_nanos((real + 0.5) as i64 as u64)
}
