//! The state of a connection when packets were sent, which the kernel does not keep in full.

use std::collections::VecDeque;

/// The state of a connection when this many packets had been delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Past {
    /// Packets delivered, counted from the first record.
    pub delivered: u32,
    /// Packets in flight after all packets of that time were sent.
    pub in_flight: u32,
    /// Packets declared lost, counted from the first record.
    pub lost: u32,
}

/// The state after each acknowledgment, as long as packets sent at that time may be in flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(VecDeque<Past>);

impl History {
    /// Adds the state after an acknowledgment. [`Self::sent`] counts packets sent before the next one.
    pub fn push(&mut self, past: Past) {
        self.0.push_back(past);
    }

    /// Notes that this many packets were in flight after the latest acknowledgment and the packets
    /// that followed it.
    pub fn sent(&mut self, in_flight: u32) {
        if let Some(latest) = self.0.back_mut() {
            latest.in_flight = in_flight;
        }
    }

    /// The state when this many packets had been delivered. Earlier states are forgotten, because
    /// later acknowledgments are of packets sent later. With reordering, a packet that was overtaken
    /// gets the state of the packet that overtook it.
    pub fn when(&mut self, delivered: u32) -> Option<Past> {
        while self.0.front().is_some_and(|past| past.delivered.wrapping_sub(delivered).cast_signed() < 0) {
            self.0.pop_front();
        }
        self.0.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_finds_the_state_of_the_time_it_was_sent_at() {
        let mut history = History::default();
        for delivered in [0, 2, 4] {
            history.push(Past { delivered, in_flight: 0, lost: delivered / 4 });
            history.sent(10 + delivered);
        }
        assert_eq!(history.when(2), Some(Past { delivered: 2, in_flight: 12, lost: 0 }));
        assert_eq!(history.when(0).unwrap().delivered, 2, "a packet that was overtaken");
        assert_eq!(history.when(3).unwrap(), Past { delivered: 4, in_flight: 14, lost: 1 });
        assert_eq!(history.when(5), None);
    }
}
