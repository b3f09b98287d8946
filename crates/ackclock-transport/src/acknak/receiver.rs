use ackclock_units::Time;

use super::message::{Kind, Message};

/// A receiver of an ACK/NAK flow: driven by [`on_segment`](Self::on_segment), then polled by
/// [`poll_transmit`](Self::poll_transmit). It replies to each segment at once, so it has no timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// One greater than the number received last.
    expected: u64,
    received: u64,
    /// The arrival of the latest packet; time zero before the first.
    received_at: Time,
    /// The sending time of the latest segment, which its reply echoes.
    echo: Time,
    /// The kind of the reply to be sent.
    reply: Option<Kind>,
}

impl Default for Receiver {
    fn default() -> Receiver {
        Receiver { expected: 1, received: 0, received_at: Time::ZERO, echo: Time::ZERO, reply: None }
    }
}

impl Receiver {
    /// Takes a segment of the source that arrived. The reply to data with the expected number is an
    /// ACK, the reply to data with a higher number a NAK. Both carry the number expected next (5.3.1).
    /// The reply to a SYN is a SYN-ACK.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Message) {
        let kind = match segment.kind {
            Kind::Data => {
                let in_order = segment.number <= self.expected;
                self.received += 1;
                self.received_at = now;
                self.expected = self.expected.max(segment.number + 1);
                if in_order { Kind::Ack } else { Kind::Nak }
            }
            Kind::Syn | Kind::SynAck | Kind::Ack | Kind::Nak => Kind::SynAck,
        };
        self.echo = segment.sent_at;
        self.reply = Some(kind);
    }

    /// The reply to the latest segment, if it has not been sent.
    #[inline]
    pub fn poll_transmit(&mut self, _now: Time) -> Option<Message> {
        let kind = self.reply.take()?;
        Some(Message { kind, number: self.expected, sent_at: self.echo })
    }

    /// Packets received, including those that repeat one whose reply was lost.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The arrival of the latest packet; time zero before the first.
    pub fn received_at(&self) -> Time {
        self.received_at
    }
}
