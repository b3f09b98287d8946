//! The window that a connection has taken over, as long as it is on trial; and the marks of segments.

use ackclock_congestion::{CongestionControl, Event};
use ackclock_units::Time;

use crate::wire::{Header, Way};

use super::super::mechanism::fast_start::FastStart;
use super::super::mechanism::slow_start_acks::is_in_slow_start;
use super::{FIRST_BYTE, Sender};

impl Sender {
    /// The first window, of so many packets, is one that was taken over. `fallback` is the controller of a connection that
    /// takes nothing over. To be said before the start.
    pub fn start_fast(&mut self, packets: f64, fallback: Box<dyn CongestionControl>) {
        // What the receive window keeps back goes with the acknowledgments of the others.
        let room = u64::from(self.settings.first_window());
        let end = FIRST_BYTE + (packets as u64 * u64::from(self.settings.mss)).min(room);
        self.cold_mut().fast_start = Some(FastStart::new(end, fallback));
        self.marks = !self.controller.needs().explicit_feedback;
    }

    /// After an idle time the latest window is that of the connection itself, and is on trial. What it falls back to is the
    /// restart of RFC 5681, 4.1.
    #[cold]
    pub(super) fn restart_fast(&mut self, restart_window: f64) {
        let mut fallback = self.controller.clone();
        fallback.on_event(&Event::IdleRestart { restart_window });
        let room = u64::from(self.peer_window);
        let end = self.next + (self.cwnd as u64 * u64::from(self.settings.mss)).min(room);
        self.cold_mut().fast_start = Some(FastStart::new(end, fallback));
    }

    /// The header of a segment that is sent now, marked to be dropped first if it belongs to a window on trial, or as one of a
    /// slow start where the receiver is to see that.
    pub(super) fn marked(&mut self, header: Header) -> Header {
        let fast_start = self.cold.as_mut().and_then(|cold| cold.fast_start.as_mut());
        let way = if fast_start.is_some_and(|fast_start| fast_start.marks(&header)) {
            Way::ToReceiverDropFirst
        } else if self.settings.delay_acks_after_slow_start
            && header.length > 0
            && is_in_slow_start(self.cwnd, self.controller.ssthresh())
        {
            Way::ToReceiverInSlowStart
        } else {
            header.way
        };
        Header { way, ..header }
    }

    /// A packet is lost. In a window on trial the connection goes on as one that has taken nothing over: that window is no
    /// measure of the path, and since its packets are dropped before others, neither is the loss.
    #[cold]
    pub(super) fn falls_back(&mut self, now: Time) -> bool {
        let una = self.queue.una();
        let Some(cold) = self.cold.as_mut() else { return false };
        let Some(fast_start) = cold.fast_start.take_if(|fast_start| fast_start.is_under_way(una)) else {
            return false;
        };
        self.integrate_cwnd(now);
        self.controller = fast_start.fallback;
        self.consult_controller(now);
        true
    }
}
