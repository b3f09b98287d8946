//! The ECN fields that arrive at a receiver, and at an end that sends data too the receiver's part of the handshake.

use super::super::mechanism::accurate_ecn::{Arrived, handshake_ace};
use super::super::mechanism::quick_acks::QuickAcks;
use super::super::settings::EcnMode;
use super::{Echo, Receiver};
use crate::wire::{Flags, Header};

impl Receiver {
    /// Takes the congestion bits of a data packet. RFC 3168, 6.1.3: the sender's CWR ends the echo, a mark begins it.
    /// RFC 8257, 3.2: the echo follows the marks; when it changes, the segments not yet acknowledged are acknowledged
    /// separately, with the old echo (the second of the two ways the RFC allows, which counts exactly).
    pub(super) fn note_mark(&mut self, segment: &Header) {
        let flags = segment.flags;
        let marked = flags.has(Flags::CE) && !self.settings.hide_marks;
        let echo = if marked { Echo::Ece } else { Echo::Clear };
        if self.settings.ecn == EcnMode::DataCentre {
            if echo != self.echo_of_marks {
                self.echo_of_marks = echo;
                let unechoed = (self.unacknowledged > 0).then_some(self.next);
                self.options.get_or_insert_default().unechoed = unechoed;
                self.reply_due = true;
            }
        } else if marked || flags.has(Flags::CWR) {
            if marked && self.echo_of_marks == Echo::Clear {
                self.quick_mut().into_iter().for_each(QuickAcks::on_mark);
            }
            self.echo_of_marks = echo;
        }
    }

    /// True if a packet without a mark changes no echo: marks are not counted, and the last one is answered.
    #[inline]
    pub(super) fn has_nothing_to_echo(&self) -> bool {
        match self.echo_of_marks {
            Echo::Mute => true,
            Echo::Clear => self.settings.ecn != EcnMode::Accurate,
            Echo::Ece => false,
        }
    }

    /// RFC 9768, 3.2: the counters count every packet, of control and sent again too.
    #[cold]
    pub(super) fn count_packet(&mut self, segment: &Header) {
        if self.echo_of_marks == Echo::Mute {
            return;
        }
        let field = segment.flags.ecn_field();
        let field = if field == Flags::CE && self.settings.hide_marks { Flags::ECT } else { field };
        let is_data = segment.length > 0;
        let data_waits = self.unacknowledged > 0;
        let any_change = self.settings.accecn_ack_changes;
        self.reply_due |= self.marks.on_packet(Arrived { field, is_data, data_waits, any_change });
        if let Some(bytes) = self.bytes_mut() {
            bytes.on_data(segment.length, field);
        }
    }

    /// The other side sends the `AccECN` option, or has not yet.
    pub(in crate::tcp) fn await_option(&mut self) {
        if let Some(bytes) = self.bytes_mut() {
            bytes.await_option();
        }
    }

    /// A segment with the `AccECN` option arrives.
    pub(in crate::tcp) fn note_option(&mut self) {
        if let Some(bytes) = self.bytes_mut() {
            bytes.note_option();
        }
    }

    /// No segment has the `AccECN` option any more.
    pub(in crate::tcp) fn stop_byte_counters(&mut self) {
        if let Some(bytes) = self.bytes_mut() {
            bytes.stop();
        }
    }

    /// ECN was not agreed on.
    pub(in crate::tcp) fn mute(&mut self) {
        self.echo_of_marks = Echo::Mute;
    }

    /// True if ECN was agreed on.
    pub(in crate::tcp) fn has_ecn(&self) -> bool {
        self.echo_of_marks != Echo::Mute
    }

    /// True if this end, which was opened, may send ECN-capable packets (RFC 9768, 3.1.5).
    pub(in crate::tcp) fn permits_ecn(&self) -> bool {
        self.options.as_ref().is_none_or(|options| !options.handshake.is_without_ecn)
    }

    /// A SYN-ACK arrives. The next acknowledgment says with which ECN field the latest did (RFC 9768, 3.2.2.1), and one that is
    /// marked counts (3.2.2.2).
    pub(in crate::tcp) fn on_syn_ack(&mut self, header: &Header) {
        if self.settings.ecn != EcnMode::Accurate || !self.has_ecn() {
            return;
        }
        let handshake = &mut self.options.get_or_insert_default().handshake;
        handshake.field = header.flags.ecn_field();
        handshake.is_due = true;
        let (field, counts) = (handshake.field, !handshake.is_counted);
        handshake.is_counted |= field == Flags::CE;
        self.marks.on_handshake(field, counts);
    }

    /// The field ACE of the acknowledgment of a SYN-ACK, if the segment that is sent now may be one.
    pub(in crate::tcp) fn take_handshake_ace(&mut self) -> Option<u8> {
        let handshake = &mut self.options.as_mut()?.handshake;
        std::mem::take(&mut handshake.is_due).then(|| handshake_ace(handshake.field))
    }
}
