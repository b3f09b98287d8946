//! Proportional rate reduction (RFC 6937, RFC 9937): the account of what fast recovery lets go.

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::super::settings::ProportionalRate;
use super::event::WindowEvent;

/// The account of one recovery, in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reduction {
    rule: ProportionalRate,
    /// Below the target, no more than was delivered is sent (PRR-CRB of RFC 6937).
    conservative: bool,
    /// Delivered during recovery (`prr_delivered`).
    delivered: u32,
    /// Sent during recovery (`prr_out`).
    out: u32,
    /// Outstanding when recovery began (`RecoverFS`), or the window in Linux.
    flight: u32,
    /// The segments that may still be sent (`sndcnt`).
    may_send: u32,
}

impl Reduction {
    /// The account of a recovery by RFC 6937, `conservative` or bounded by slow start.
    pub fn new(conservative: bool) -> Reduction {
        Reduction { conservative, ..Reduction::default() }
    }

    /// The rule of recoveries that begin from now on. That of a conservative one is RFC 6937's.
    pub fn follow(&mut self, rule: ProportionalRate) {
        if !self.conservative {
            self.rule = rule;
        }
    }

    /// The controller has chosen the window to arrive at (`ssthresh`), after an acknowledgment.
    pub fn on_window(&mut self, event: &WindowEvent, queue: &RetransmissionQueue) {
        if event.begins {
            let flight = self.flight_at_beginning(event, queue);
            let Reduction { rule, conservative, .. } = *self;
            *self = Reduction { rule, conservative, flight, ..Reduction::default() };
        }
        self.delivered += event.delivered;
        let may_send = if self.rule == ProportionalRate::Rfc6937 {
            self.by_rfc_6937(event, queue.pipe())
        } else {
            self.by_rfc_9937(event, queue.pipe())
        };
        self.may_send = u32::try_from(may_send).unwrap_or(0);
    }

    /// RFC 9937, 6.1: what was outstanding, without what was selectively acknowledged before, and with what the acknowledgment that
    /// begins recovery delivers.
    fn flight_at_beginning(&self, event: &WindowEvent, queue: &RetransmissionQueue) -> u32 {
        match self.rule {
            ProportionalRate::Rfc6937 => queue.outstanding(),
            ProportionalRate::Rfc9937 => (queue.outstanding() + event.cumulative + event.selective)
                .saturating_sub(queue.counts().sacked),
            ProportionalRate::Linux => event.before as u32,
        }
    }

    /// The packets that PRR lets go while more than the target is in the network.
    fn share(&self, target: f64) -> i64 {
        let share = f64::from(self.delivered) * target / f64::from(self.flight.max(1));
        share.ceil() as i64 - i64::from(self.out)
    }

    /// RFC 6937, section 3.
    fn by_rfc_6937(&self, event: &WindowEvent, pipe: u32) -> i64 {
        if f64::from(pipe) > event.cwnd {
            return self.share(event.cwnd);
        }
        let banked = i64::from(self.delivered) - i64::from(self.out);
        let bound = if self.conservative { banked } else { banked.max(i64::from(event.delivered)) + 1 };
        bound.min(event.cwnd as i64 - i64::from(pipe))
    }

    /// RFC 9937, 6.2: "Force a fast retransmit upon entering recovery".
    fn by_rfc_9937(&self, event: &WindowEvent, pipe: u32) -> i64 {
        let may_send = if f64::from(pipe) > event.cwnd {
            self.share(event.cwnd)
        } else {
            let banked = i64::from(self.delivered) - i64::from(self.out);
            let bound = banked.max(i64::from(event.delivered)) + i64::from(event.is_safe);
            bound.min(event.cwnd as i64 - i64::from(pipe))
        };
        if self.out == 0 { may_send.max(1) } else { may_send }
    }

    /// A segment is sent, new or again; the first retransmission goes out whatever the budget is.
    pub fn on_sent(&mut self) {
        self.out += 1;
        self.may_send = self.may_send.saturating_sub(1);
    }

    /// The segments that may be sent now.
    pub fn budget(&self) -> u32 {
        self.may_send
    }
}
