//! Proportional rate reduction (RFC 6937): the account of the segments that fast recovery releases.

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::event::WindowEvent;

/// The account of one recovery, in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reduction {
    /// True if, below the target, no more is sent than was delivered (PRR-CRB).
    conservative: bool,
    /// Delivered during recovery (`prr_delivered`).
    delivered: u32,
    /// Sent during recovery (`prr_out`).
    out: u32,
    /// Outstanding when recovery began (`RecoverFS`).
    flight: u32,
    /// The segments that may still be sent (`sndcnt`).
    may_send: u32,
}

impl Reduction {
    /// The account of a recovery, `conservative` or bounded by slow start.
    pub fn new(conservative: bool) -> Reduction {
        Reduction { conservative, ..Reduction::default() }
    }

    /// Takes the window that the controller has chosen as the target (`ssthresh`), after an
    /// acknowledgment.
    pub fn on_window(&mut self, event: &WindowEvent, queue: &RetransmissionQueue) {
        if event.begins {
            *self = Reduction { flight: queue.outstanding(), ..Reduction::new(self.conservative) };
        }
        self.on_ack(event.delivered, queue.pipe(), event.cwnd);
    }

    /// Takes an acknowledgment that delivered segments and leaves `pipe` in the network; recovery
    /// is to end with a window of `target`.
    fn on_ack(&mut self, delivered: u32, pipe: u32, target: f64) {
        self.delivered += delivered;
        let banked = i64::from(self.delivered) - i64::from(self.out);
        let may_send = if f64::from(pipe) > target {
            let share = f64::from(self.delivered) * target / f64::from(self.flight.max(1));
            share.ceil() as i64 - i64::from(self.out)
        } else {
            let bound = if self.conservative { banked } else { banked.max(i64::from(delivered)) + 1 };
            bound.min(target as i64 - i64::from(pipe))
        };
        self.may_send = u32::try_from(may_send).unwrap_or(0);
    }

    /// Counts a segment that is sent, new or again. The first retransmission is sent whatever the
    /// budget is.
    pub fn on_sent(&mut self) {
        self.out += 1;
        self.may_send = self.may_send.saturating_sub(1);
    }

    /// The segments that may be sent now.
    pub fn budget(&self) -> u32 {
        self.may_send
    }
}
