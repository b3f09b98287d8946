//! Proportional Rate Reduction (RFC 6937): what may be sent during fast recovery. Losses are found as RFC 6675 does
//! (`sack.rs`); but not the window says how much goes out, with its half a round trip of silence and its burst after a
//! burst of losses. Each acknowledgment lets a share of what it says was delivered go, so that what is in flight walks
//! towards the window that the controller has chosen.

/// What bounds the sending once losses have taken the pipe below the target (RFC 6937, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReductionBound {
    /// PRR-SSRB: one segment more than was delivered, as in slow start.
    SlowStart,
    /// PRR-CRB: no more than was delivered, which conserves packets strictly.
    Conservative,
}

/// The account of one recovery, in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prr {
    /// Delivered during recovery (`prr_delivered`).
    delivered: u32,
    /// Sent during recovery (`prr_out`).
    out: u32,
    /// Outstanding when recovery began (`RecoverFS`).
    flight: u32,
    /// What may still be sent (`sndcnt`).
    may_send: u32,
}

impl Prr {
    /// Recovery begins with `flight` segments sent and not cumulatively acknowledged (RFC 5681's `FlightSize`).
    pub fn begin(flight: u32) -> Prr {
        Prr { flight, ..Prr::default() }
    }

    /// An acknowledgment that says `delivered` segments arrived and leaves `pipe` in the network; recovery is to end
    /// with `target` (`ssthresh`).
    pub fn on_ack(&mut self, delivered: u32, pipe: u32, target: f64, bound: ReductionBound) {
        self.delivered += delivered;
        let banked = i64::from(self.delivered) - i64::from(self.out);
        let may_send = if f64::from(pipe) > target {
            let share = f64::from(self.delivered) * target / f64::from(self.flight.max(1));
            share.ceil() as i64 - i64::from(self.out)
        } else {
            let limit = match bound {
                ReductionBound::SlowStart => banked.max(i64::from(delivered)) + 1,
                ReductionBound::Conservative => banked,
            };
            limit.min(target as i64 - i64::from(pipe))
        };
        self.may_send = u32::try_from(may_send).unwrap_or(0);
    }

    /// A segment is sent, new or again; the first retransmission may be one that was not asked about.
    pub fn on_sent(&mut self) {
        self.out += 1;
        self.may_send = self.may_send.saturating_sub(1);
    }

    /// Whether a segment may be sent.
    pub fn has_room(&self) -> bool {
        self.may_send > 0
    }
}
