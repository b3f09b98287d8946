//! Receivers that make senders too fast (Savage, Cardwell, Wetherall and Anderson, "TCP congestion control with a misbehaving
//! receiver", CCR 29(5), 1999).

use super::super::settings::Settings;

/// The acknowledgments that a receiver sends in addition to the due ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Misbehaviour {
    /// The number of acknowledgments sent instead of one; 0 for an honest receiver.
    pieces: u32,
    /// The pieces of the present acknowledgment still to be sent, if it is begun.
    left: u32,
    /// The bytes acknowledged although they have not arrived.
    ahead: u64,
    /// True if the present acknowledgment has announced these bytes.
    is_announced: bool,
}

impl Misbehaviour {
    pub fn of(settings: &Settings) -> Misbehaviour {
        Misbehaviour {
            pieces: if settings.ack_splitting > 1 { settings.ack_splitting } else { 0 },
            ahead: u64::from(settings.optimistic_acks) * u64::from(settings.mss),
            ..Misbehaviour::default()
        }
    }

    /// The acknowledgment number to send before that of `next`, which is due. The latest acknowledgment was of `last`.
    /// The sender ignores an acknowledgment beyond what it sent (RFC 9293, 3.10.7.4), so the honest one follows.
    pub fn acknowledgment_before(&mut self, last: u64, next: u64) -> Option<u64> {
        self.is_announced = !self.is_announced && self.ahead > 0;
        if self.is_announced {
            return Some(next + self.ahead);
        }
        let left = if self.left == 0 { self.pieces } else { self.left };
        let step = next.saturating_sub(last) / u64::from(left.max(1));
        self.left = if step > 0 { left.saturating_sub(1) } else { 0 };
        (self.left > 0).then_some(last + step)
    }
}
