//! The congestion window, and the controller that decides its size.

use std::ops::Range;

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Window as Phase};
use ackclock_units::Time;

use super::super::mechanism::limited_growth::LargestFlight;

/// The congestion window in packets, asked for once per change of its controller.
#[repr(C)]
pub(super) struct Window {
    controller: Box<dyn CongestionControl>,
    cwnd: f64,
    /// The window is included in `packet_seconds` up to this time.
    since: Time,
    /// The window integrated over time since the connection opened.
    packet_seconds: f64,
    /// True if the window was what last stopped the sender.
    is_limiting: bool,
    /// It alone decides: the controller takes no samples, segments are not paced, and all but the last are full.
    decides_alone: bool,
    largest_flight: LargestFlight,
}

impl Window {
    pub fn new(controller: Box<dyn CongestionControl>, decides_alone: bool) -> Window {
        Window {
            largest_flight: LargestFlight::new(controller.decision().cwnd),
            controller,
            cwnd: 0.0,
            since: Time::MAX,
            packet_seconds: 0.0,
            is_limiting: true,
            decides_alone,
        }
    }

    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    pub fn controller(&self) -> &dyn CongestionControl {
        &*self.controller
    }

    /// The memory of the controller, of which `most` bytes are needed.
    #[inline]
    pub fn memory(&self, most: Option<usize>) -> Range<*const u8> {
        let start = std::ptr::from_ref(&*self.controller).cast::<u8>();
        start..start.wrapping_add(most.unwrap_or(size_of_val(&*self.controller)))
    }

    #[inline]
    pub fn decides_alone(&self) -> bool {
        self.decides_alone
    }

    /// True if the window was what last stopped the sender.
    #[inline]
    pub fn is_limiting(&self) -> bool {
        self.is_limiting
    }

    /// The sender stops: the window is the reason, or something else.
    #[inline]
    pub fn set_limiting(&mut self, is_limiting: bool) {
        self.is_limiting = is_limiting;
    }

    /// This many segments were outstanding when an acknowledgment arrived.
    #[inline]
    pub fn note_flight(&mut self, segments: u32) {
        self.largest_flight.note(segments);
    }

    /// The largest flight since the last reduction.
    pub fn largest_flight(&self) -> LargestFlight {
        self.largest_flight
    }

    /// The window and its threshold.
    pub fn phase(&self) -> Phase {
        Phase { cwnd: self.cwnd, ssthresh: self.controller.ssthresh() }
    }

    /// True if the window has room for another full segment when `in_network` segments are in the
    /// network.
    #[inline]
    pub fn fits(&self, in_network: u32) -> bool {
        f64::from(in_network) + 1.0 <= self.cwnd.max(1.0)
    }

    /// A copy of the controller as it is.
    pub fn controller_copy(&self) -> Box<dyn CongestionControl> {
        self.controller.clone()
    }

    /// Replaces the controller.
    pub fn replace_controller(&mut self, controller: Box<dyn CongestionControl>) {
        self.controller = controller;
    }

    /// The decision in force.
    pub fn decision(&self) -> Decision {
        self.controller.decision()
    }

    /// The controller's answer to an acknowledgment.
    #[expect(clippy::inline_always, reason = "most facts are constants where it is called")]
    #[inline(always)]
    pub fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.controller.on_ack(ack)
    }

    /// The controller's answer to a congestion episode.
    pub fn on_congestion(&mut self, event: &Congestion) -> Decision {
        self.controller.on_congestion(event)
    }

    /// The controller's answer to another event.
    pub fn on_event(&mut self, event: &Event) -> Decision {
        self.controller.on_event(event)
    }

    /// Puts a decision into force.
    #[inline]
    pub fn apply(&mut self, decision: &Decision) {
        if decision.cwnd < self.cwnd {
            self.largest_flight.reset();
        }
        self.cwnd = decision.cwnd;
    }

    /// The connection opens: its window is integrated from now on.
    pub fn open(&mut self, now: Time) {
        self.since = now;
    }

    /// Accounts for the window that was in force until now, or until the end of the transfer.
    #[inline]
    pub fn integrate(&mut self, now: Time, until: Time) {
        // Converted to a signed integer first, for which processors have an instruction.
        let seconds = until.since(self.since).as_nanos().cast_signed() as f64 / 1e9;
        self.packet_seconds += self.cwnd * seconds;
        self.since = now;
    }

    /// The window integrated over time, in packet-seconds.
    pub fn packet_seconds(&self, until: Time) -> f64 {
        self.packet_seconds + self.cwnd * until.since(self.since).as_secs_f64()
    }
}
