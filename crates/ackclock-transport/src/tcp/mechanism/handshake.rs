//! The sender's part of the three-way handshake (RFC 9293, 3.5).

use ackclock_units::{Duration, Time};

use super::once_time::OnceTime;
use crate::wire::{Flags, Header};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not opened yet.
    Idle,
    SynSent,
    Established,
    /// No SYN was answered.
    Failed,
    /// Closed before a SYN was answered, or reset.
    Closed,
}

/// The sender's state of the handshake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshake {
    state: State,
    /// SYNs sent.
    syns: u32,
    syn_sent_at: Time,
    established_at: OnceTime,
}

impl Handshake {
    /// Not opened yet.
    pub fn new() -> Handshake {
        Handshake { state: State::Idle, syns: 0, syn_sent_at: Time::ZERO, established_at: OnceTime::NEVER }
    }

    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// True if a SYN was sent and not answered yet.
    pub fn is_pending(&self) -> bool {
        self.state == State::SynSent
    }

    #[inline]
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// True if the connection failed: no SYN was answered.
    pub fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    pub fn established_at(&self) -> Option<Time> {
        self.established_at.get()
    }

    /// A SYN is sent. Gives the timeout, which doubles from `first` on (RFC 6298, 5.5) with each SYN but the first `linear`
    /// repetitions.
    pub fn on_syn_sent(&mut self, now: Time, first: Duration, linear: u32) -> Duration {
        let attempts = self.syns.saturating_sub(linear);
        self.syns += 1;
        self.state = State::SynSent;
        self.syn_sent_at = now;
        first.saturating_mul(1 << attempts.min(30))
    }

    /// SYNs sent.
    pub fn syns(&self) -> u32 {
        self.syns
    }

    /// True if a segment is the awaited answer to a SYN that carried `syn_data` bytes.
    pub fn accepts(&self, header: &Header, first_byte: u64, syn_data: u64) -> bool {
        self.is_pending()
            && header.flags.has(Flags::SYN.with(Flags::ACK))
            && [first_byte, first_byte + syn_data].contains(&header.acknowledgment)
    }

    /// The round-trip time of the SYN, which is answered now.
    pub fn round_trip(&self, now: Time) -> Duration {
        now.since(self.syn_sent_at)
    }

    /// The round-trip time that the handshake measured, once it is over; none if several SYNs were
    /// sent, since any of them may have been answered (Karn's rule).
    pub fn measured(&self) -> Option<Duration> {
        self.established_at.get().filter(|_| self.syns == 1).map(|at| at.since(self.syn_sent_at))
    }

    pub fn establish(&mut self, now: Time) {
        self.state = State::Established;
        self.established_at = OnceTime::from(now);
    }

    /// True after a close in SYN-SENT, when no SYN was answered, and after a reset.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// A CLOSE call in SYN-SENT deletes the connection (RFC 9293, 3.10.4), and so does a reset.
    pub fn close(&mut self) {
        self.state = State::Closed;
    }

    /// Notes that the last SYN was not answered.
    pub fn fail(&mut self) {
        self.state = State::Failed;
    }
}
