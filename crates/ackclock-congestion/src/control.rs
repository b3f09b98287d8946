//! The central trait: facts in, a decision out.

use ackclock_units::{PacketRate, Time};
use dyn_clone::DynClone;

use crate::facts::{Ack, Congestion, Event};

/// A congestion controller: pure state, driven by facts, answering each with a decision.
///
/// It owns no clock, socket, timer, random number, sequence number or duplicate ACK. Windows are in packets, as
/// real numbers: the papers speak packets, and increments are fractions of one. No method has a default, so that a
/// controller that wraps another forwards all of them.
///
/// # Contract
/// For every arriving acknowledgment the transport, in this order,
/// 1. updates round-trip time, delivery rate and round;
/// 2. detects losses;
/// 3. calls [`on_congestion`](Self::on_congestion) if a congestion episode starts;
/// 4. calls [`on_ack`](Self::on_ack) exactly once, with growth suspended if (3) happened.
///
/// A transport that finds losses only after it has reported the acknowledgment calls [`on_congestion`](Self::on_congestion)
/// then, and completes the signal with an empty acknowledgment of the same time ([`Ack::acks`] and [`Ack::delivered`] 0,
/// growth suspended).
///
/// Time never runs backwards. Measuring goes on while growth is suspended. Cloning copies the whole state, to ask
/// "what would a loss do now?" without doing it: a controller is `Clone`, and so is a box with one.
pub trait CongestionControl: DynClone + Send + Sync {
    /// The controller's needs, asked once, at the beginning.
    fn needs(&self) -> Needs;

    /// Measures by one arriving acknowledgment, and grows or shrinks the window where its rule says so.
    fn on_ack(&mut self, ack: &Ack) -> Decision;

    /// Reacts to the start of a congestion episode.
    fn on_congestion(&mut self, signal: &Congestion) -> Decision;

    /// Reacts to anything else that happens to the sender.
    fn on_event(&mut self, event: &Event) -> Decision;

    /// The decision in force, the same as the last call returned.
    fn decision(&self) -> Decision;

    /// The slow-start threshold in packets; infinite where there is none (yet).
    fn ssthresh(&self) -> f64;

    /// Shows internal quantities by name, for traces.
    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64));
}

/// The limits of a sender until the next decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The congestion window in packets; finite and positive.
    pub cwnd: f64,
    /// The rate to space packets at; without one, packets leave as the window allows.
    pub pacing_rate: Option<PacketRate>,
    /// When the controller wants [`Event::Deadline`], if it does.
    pub wake: Option<Time>,
}

impl Decision {
    /// A window alone: no pacing, no deadline.
    #[inline]
    pub fn window(cwnd: f64) -> Decision {
        Decision { cwnd, pacing_rate: None, wake: None }
    }
}

/// The facts that a controller needs of its driver, which may omit the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "needs are independent of each other")]
pub struct Needs {
    /// [`Ack::rate`] and [`Ack::loss`].
    pub samples: bool,
    /// [`Decision::pacing_rate`] and [`Decision::wake`] carried out: without this need, both are always none.
    pub pacing: bool,
    /// The number of marked packets ([`Ack::ce_marked`]), not only the presence of marks.
    pub accurate_ecn: bool,
    /// ECT(1) on ECN-capable packets, by which queues recognise L4S (RFC 9331, section 4.1); ECT(0) without this need.
    pub l4s: bool,
    /// The feedback of routers ([`Ack::feedback`]), for which packets carry congestion headers.
    pub explicit_feedback: bool,
    /// The loss recovery that belongs to the algorithm, by its name, where another is not asked for.
    pub recovery: Option<&'static str>,
}

dyn_clone::clone_trait_object!(CongestionControl);

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
