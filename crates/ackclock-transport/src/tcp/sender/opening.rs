//! The life of a connection at its sender: handshake, stop, and reset (RFC 9293, 3.5, 3.10.4 and 3.10.5).

use ackclock_congestion::Event;
use ackclock_units::Time;

use crate::wire::Header;

use super::super::mechanism::once_time::OnceTime;
use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::super::mechanism::timers::Timers;
use super::super::recovery::RecoveryState;
use super::prediction::Prediction;
use super::{FIRST_BYTE, PendingControl, Sender};

impl Sender {
    /// The application starts, or stops.
    pub(super) fn on_application(&mut self, now: Time) {
        if self.handshake.is_idle() {
            self.timers.set_application(self.stop);
            if self.settings.handshake {
                self.send_syn(now);
            } else {
                self.ecn.assume(self.settings.ecn);
                self.establish(now);
            }
        }
        if now >= self.stop {
            self.timers.set_application(Time::MAX);
            if self.resets && self.handshake.is_established() {
                return self.abort(now);
            }
            let has_size = self.limit < u64::MAX;
            self.is_cut = self.next < self.limit && (has_size || self.next == FIRST_BYTE);
            self.limit = self.limit.min(self.next);
            if self.handshake.is_established() {
                self.note_finish(now);
            } else {
                self.close_in_syn_sent(now);
            }
        }
    }

    /// RFC 9293, 3.10.4: no SYN is sent again, and an answer comes to no connection, which is answered with a reset (3.10.7.1).
    fn close_in_syn_sent(&mut self, now: Time) {
        self.handshake.close();
        self.pending = PendingControl::Nothing;
        self.timers.stop_retransmission();
        self.finished_at = OnceTime::from(now);
    }

    pub(super) fn send_syn(&mut self, now: Time) {
        // A round-trip time that other connections have measured is a better guess than the initial timeout.
        let known = !self.rtt.srtt().is_zero();
        let first = if known { self.rtt.rto(&self.settings.rto) } else { self.settings.syn_timeout };
        let timeout = self.handshake.on_syn_sent(now, self.counters.syns, first);
        self.timers.arm_retransmission(now, timeout);
        self.counters.syns += 1;
        self.pending = PendingControl::Syn;
        let data = (self.limit - FIRST_BYTE).min(self.settings.mss.into());
        let is_first = self.counters.syns == 1;
        let opens_fast = self.settings.fast_open && is_first;
        if let Some(cold) = &mut self.cold
            && ((opens_fast && cold.fast_open.cookie.is_known()) || cold.transacts())
        {
            cold.fast_open.syn_data = data;
            self.counters.segments_sent += u64::from(data > 0);
            self.counters.retransmissions += u64::from(data > 0 && !is_first);
        }
    }

    /// The bytes of data in the SYN that is sent now. One that is repeated goes without in Fast Open (RFC 7413, 4.2.1), and is the
    /// same segment in T/TCP.
    pub(super) fn data_in_syn(&self) -> u16 {
        let carries = self.counters.syns == 1 || self.cold.as_ref().is_some_and(|cold| cold.transacts());
        if carries { self.syn_data() as u16 } else { 0 }
    }

    /// The bytes of data in the first SYN.
    pub(super) fn syn_data(&self) -> u64 {
        self.cold.as_ref().map_or(0, |cold| cold.fast_open.syn_data)
    }

    /// A SYN-ACK acknowledges the data of the SYN too, or the SYN alone: then the data is sent again (RFC 7413, 4.2.2). A T/TCP server
    /// may keep it instead (RFC 1644, 2.2), and would deliver it when the segment that is sent again arrives.
    fn take_syn_data(&mut self, acknowledgment: u64) {
        if acknowledgment > FIRST_BYTE {
            self.queue.begin_at(acknowledgment);
            self.next = acknowledgment;
            self.cold_mut().incidents.fast_opens += 1;
        } else {
            self.counters.retransmissions += 1;
            self.cold_mut().incidents.fast_open_fallbacks += 1;
        }
    }

    pub(super) fn on_syn_ack(&mut self, now: Time, header: &Header) {
        self.peer_next = FIRST_BYTE;
        self.echo = header.timestamps.value;
        self.peer_window = header.window;
        self.timers.stop_retransmission();
        self.ecn.on_syn_ack(self.settings.ecn, header);
        if self.settings.fast_open {
            self.cold_mut().fast_open.cookie.keep();
        }
        if self.syn_data() > 0 {
            self.take_syn_data(header.acknowledgment);
        }
        if self.counters.syns == 1 {
            self.rtt.sample(self.handshake.round_trip(now), 1, &self.settings.rto);
            self.rtt.forget_min_rtt();
        } else {
            self.rtt.after_lost_syn(&self.settings.rto);
            // RFC 5681, 3.1: after a lost SYN the initial window is one segment.
            let decision = self.controller.on_event(&Event::IdleRestart { restart_window: 1.0 });
            self.apply_decision(now, &decision);
        }
        self.pending = PendingControl::Ack;
        self.establish(now);
    }

    fn establish(&mut self, now: Time) {
        self.handshake.establish(now);
        self.cwnd_since = now;
        self.last_sent_at = now;
        self.sampler.restart(now);
        self.consult_controller(now);
        self.note_finish(now);
    }

    /// RFC 9293, 3.10.5: the connection is deleted, what is outstanding given up, and the other side reset.
    #[cold]
    pub(super) fn abort(&mut self, now: Time) {
        if self.handshake.is_established() {
            self.end_by_reset(now);
            self.cold_mut().incidents.resets += 1;
            self.send_reset(self.next);
        }
    }

    /// A reset with this sequence number is due.
    #[cold]
    pub(super) fn send_reset(&mut self, sequence: u64) {
        self.cold_mut().reset = sequence;
        self.pending = PendingControl::Reset;
    }

    /// A reset of the other side, which counts if it has the sequence number expected (RFC 9293, 3.10.7.4).
    #[cold]
    pub(super) fn on_reset(&mut self, now: Time, header: &Header) {
        if self.handshake.is_established() && header.sequence == self.peer_next {
            self.end_by_reset(now);
        }
    }

    /// The connection is over, and nothing of it remains.
    pub(in crate::tcp) fn end_by_reset(&mut self, now: Time) {
        self.integrate_cwnd(now);
        self.prediction = Prediction::None;
        self.handshake.close();
        self.is_cut |= !self.finished_at.has_come();
        self.finished_at.come(now);
        self.queue = RetransmissionQueue::new(self.next, self.settings.mss);
        self.recovery = RecoveryState::new(self.recovery.recovery());
        self.timers = Timers::starting_at(Time::MAX);
        self.pacer.clear();
        self.pending = PendingControl::Nothing;
    }
}
