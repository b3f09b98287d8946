//! The central trait: facts in, a decision out.

use ackclock_units::{PacketRate, Time};
use dyn_clone::DynClone;

use crate::facts::{Ack, Congestion, Event, Needs};

/// A congestion controller: pure state that answers each fact with a decision.
///
/// It owns no clock, socket, timer, random number, sequence number or duplicate ACK. Windows are real numbers of
/// packets: the papers count packets, and increments are fractions of one. No method has a default, so that a
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

    /// Takes the measurements of an arriving acknowledgment, and grows or shrinks the window by the algorithm's rule.
    fn on_ack(&mut self, ack: &Ack) -> Decision;

    /// Reacts to the start of a congestion episode.
    fn on_congestion(&mut self, signal: &Congestion) -> Decision;

    /// Reacts to anything else that happens to the sender.
    fn on_event(&mut self, event: &Event) -> Decision;

    /// The decision in force, the same as the last call returned.
    fn decision(&self) -> Decision;

    /// The slow-start threshold in packets; infinite while there is none.
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

dyn_clone::clone_trait_object!(CongestionControl);
