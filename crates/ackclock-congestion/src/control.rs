//! The central trait: facts in, a window out.

use ackclock_units::{PacketRate, Time};

use crate::facts::{Ack, Congestion};

/// A congestion controller: pure state, driven by facts, asked for a window.
///
/// It owns no clock, socket, timer, random number, sequence number or duplicate ACK. Windows are in packets, as
/// real numbers: the papers speak packets, and increments are fractions of one.
///
/// # Contract
/// For every arriving acknowledgment the transport, in this order,
/// 1. updates round-trip time, delivery rate and round;
/// 2. detects losses;
/// 3. calls [`on_congestion`](Self::on_congestion) if a congestion episode starts;
/// 4. calls [`on_ack`](Self::on_ack) exactly once, with `may_grow == false` if (3) happened.
///
/// Time never runs backwards. Measuring goes on while growth is suspended. Cloning copies the whole state.
pub trait CongestionControl: Send {
    /// Learns from one arriving acknowledgment, and grows or shrinks the window where its rule says so.
    fn on_ack(&mut self, ack: &Ack);

    /// [`on_ack`](Self::on_ack), then [`cwnd`](Self::cwnd): one call where there would be two.
    fn window_after(&mut self, ack: &Ack) -> f64 {
        self.on_ack(ack);
        self.cwnd()
    }

    /// Reacts to the start of a congestion episode.
    fn on_congestion(&mut self, event: &Congestion);

    /// The congestion window in packets; finite and positive.
    fn cwnd(&self) -> f64;

    /// The slow-start threshold in packets; infinite where there is none (yet).
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    /// The last episode turned out to be no congestion: the state from before it is restored.
    fn on_spurious(&mut self) {}

    /// The sender was idle for longer than its retransmission timeout and starts again from `restart_window`
    /// packets at the most (RFC 5681, 4.1).
    fn on_idle_restart(&mut self, _restart_window: f64) {}

    /// When the controller wants [`on_deadline`](Self::on_deadline) called, if it does.
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// The deadline passed.
    fn on_deadline(&mut self, _now: Time) {}

    /// The rate to space packets at; none sends as the window allows.
    fn pacing_rate(&self) -> Option<PacketRate> {
        None
    }

    /// Whether it has to know how many packets were marked, not just that some were: [`Ack::ce_marked`].
    fn needs_accurate_ecn(&self) -> bool {
        false
    }

    /// Whether the window is all there is to it: neither [`Ack::rate`] nor [`Ack::loss`] is looked at, and there is never
    /// a pacing rate or a deadline. Asked once; a driver may leave out what is not looked at.
    fn is_window_only(&self) -> bool {
        false
    }

    /// Shows internal quantities by name, for traces.
    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}

    /// A copy with the whole state, to ask "what would a loss do now?" without doing it.
    fn clone_box(&self) -> Box<dyn CongestionControl>;
}

impl Clone for Box<dyn CongestionControl> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// The window a connection begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The initial congestion window in packets.
    pub initial_window: f64,
    /// The initial slow-start threshold in packets; infinite by default.
    pub initial_ssthresh: f64,
    /// The window in packets to begin again from when the ACK clock is lost: RFC 5681's loss window of one packet, or
    /// what another transport's model says.
    pub restart_window: f64,
}

impl Default for Start {
    /// Ten packets (RFC 6928), no threshold, one packet after a timeout.
    fn default() -> Start {
        Start { initial_window: 10.0, initial_ssthresh: f64::INFINITY, restart_window: 1.0 }
    }
}
