//! The Eifel detection algorithm (RFC 3522): an episode was spurious if the first new acknowledgment after its first
//! retransmission echoes an earlier timestamp.

use super::super::is_not_before;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// There is no episode, or it has been judged.
    #[default]
    Off,
    /// An episode has begun, but nothing was sent again yet.
    Armed,
    /// The timestamp of its first retransmission.
    Sent(u32),
}

/// The detection of spurious retransmissions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Eifel {
    state: State,
}

impl Eifel {
    /// True if no episode waits for its judgment.
    #[inline]
    pub fn is_off(self) -> bool {
        self.state == State::Off
    }

    /// Notes that an episode begins (step 1).
    pub fn arm(&mut self) {
        self.state = State::Armed;
    }

    /// Gives up judging the episode.
    pub fn disarm(&mut self) {
        self.state = State::Off;
    }

    /// Notes that a segment is sent again, with this timestamp (step 2).
    pub fn on_retransmission(&mut self, timestamp: u32) {
        if self.state == State::Armed {
            self.state = State::Sent(timestamp);
        }
    }

    /// Judges the episode when new data is acknowledged (steps 3 to 5). It is not spurious if all outstanding data
    /// is acknowledged: an ACK of the original may have been lost.
    #[inline]
    pub fn is_spurious(&mut self, echo: u32, all_acknowledged: bool) -> bool {
        match std::mem::take(&mut self.state) {
            State::Sent(timestamp) => !is_not_before(echo, timestamp) && !all_acknowledged,
            State::Off | State::Armed => false,
        }
    }
}
