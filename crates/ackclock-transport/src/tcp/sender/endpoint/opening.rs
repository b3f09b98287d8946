//! The opening of a connection: SYNs with and without data, and the answer.

use ackclock_congestion::Event;
use ackclock_units::Time;

use super::super::super::settings::WindowAfterLostSyn;
use super::super::stream::FIRST_BYTE;
use super::Endpoint;
use crate::wire::Header;

impl Endpoint {
    pub(super) fn on_syn_ack(&mut self, now: Time, header: &Header) {
        self.life.take_syn_ack();
        self.stream.set_echo(header.timestamps.value);
        self.stream.set_window(header.window);
        self.clock.stop_rto();
        self.signals.ecn_mut().on_syn_ack(&self.settings, header);
        if let Some(cold) = self.life.cold_if_any() {
            cold.bytes.discard();
        }
        if self.settings.fast_open {
            self.life.cold_mut().fast_open.cookie.keep();
        }
        if self.life.syn_data() > 0 {
            self.take_syn_data(header.acknowledgment);
        }
        let handshake = self.life.handshake();
        let rtt = (handshake.syns() == 1).then(|| handshake.round_trip(now));
        self.clock.take_rtt_of_syn(rtt, &self.settings.rto);
        if self.begins_with_one_segment() {
            let decision = self.window.on_event(&Event::IdleRestart { restart_window: 1.0 });
            self.apply_decision(now, &decision);
        }
        self.establish(now);
    }

    /// True if SYNs were sent again so often that the initial window is one segment.
    fn begins_with_one_segment(&self) -> bool {
        let again = self.life.handshake().syns().saturating_sub(1);
        match self.settings.window_after_lost_syn {
            WindowAfterLostSyn::Rfc5681 => again > 0,
            WindowAfterLostSyn::Rfc6928 => again > 1,
            WindowAfterLostSyn::Kept => false,
        }
    }

    /// A SYN-ACK acknowledges the data of the SYN too, or the SYN alone: then the data is sent again (RFC 7413, 4.2.2). A T/TCP server
    /// may keep it instead (RFC 1644, 2.2), and would deliver it when the segment that is sent again arrives.
    fn take_syn_data(&mut self, acknowledgment: u64) {
        let incidents = &mut self.life.cold_mut().incidents;
        if acknowledgment > FIRST_BYTE {
            incidents.fast_opens += 1;
            self.loss.begin_at(acknowledgment);
            self.stream.advance(acknowledgment);
        } else {
            incidents.fast_open_fallbacks += 1;
            self.loss.note_syn_data_again();
        }
    }

    pub(super) fn establish(&mut self, now: Time) {
        self.life.establish(now);
        self.window.open(now);
        self.stream.open(now);
        self.rounds.restart(now);
        self.consult_controller(now);
        self.note_finish(now);
    }

    pub(super) fn send_syn(&mut self, now: Time) {
        // A round-trip time that other connections have measured is a better guess than the initial timeout.
        let known = !self.clock.rtt().srtt().is_zero();
        let first = if known { self.clock.rto(&self.settings.rto) } else { self.settings.syn_timeout };
        let timeout = self.life.send_syn(now, first, self.settings.syn_linear_timeouts);
        self.clock.arm(now, timeout);
        let data = (self.stream.limit() - FIRST_BYTE).min(self.settings.mss.into());
        let is_first = self.life.handshake().syns() == 1;
        let opens_fast = self.settings.fast_open && is_first;
        if let Some(cold) = self.life.cold_if_any()
            && ((opens_fast && cold.fast_open.cookie.is_known()) || cold.transacts())
        {
            cold.fast_open.syn_data = data;
            if data > 0 {
                self.stream.on_sent_in_syn();
                if !is_first {
                    self.loss.note_syn_data_again();
                }
            }
        }
    }

    pub(super) fn on_syn_timeout(&mut self, now: Time) {
        if self.life.handshake().syns() < self.settings.syn_attempts {
            self.send_syn(now);
        } else {
            self.life.fail();
            self.clock.stop_rto();
            self.clock.set_application(Time::MAX);
        }
    }
}
