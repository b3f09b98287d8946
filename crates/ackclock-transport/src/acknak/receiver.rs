use super::message::{Kind, Message};

/// The receiver: it answers every message at once, so it has no timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// One greater than the most recently received number.
    expected: u64,
    received: u64,
}

impl Default for Receiver {
    fn default() -> Receiver {
        Receiver { expected: 1, received: 0 }
    }
}

impl Receiver {
    /// The answer to a message of the source: an ACK to data with the number expected, a NAK to a higher one, either
    /// numbered with what is expected next (5.3.1).
    pub fn on_message(&mut self, message: &Message) -> Message {
        let kind = match message.kind {
            Kind::Data => {
                let in_order = message.number <= self.expected;
                self.received += 1;
                self.expected = self.expected.max(message.number + 1);
                if in_order { Kind::Ack } else { Kind::Nak }
            }
            Kind::Syn | Kind::SynAck | Kind::Ack | Kind::Nak => Kind::SynAck,
        };
        Message { kind, number: self.expected, sent_at: message.sent_at }
    }

    /// Packets received, those included that repeat what was received but whose answer was lost.
    pub fn received(&self) -> u64 {
        self.received
    }
}
