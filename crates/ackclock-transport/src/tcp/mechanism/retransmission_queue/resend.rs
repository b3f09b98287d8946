//! Segments sent again: those declared lost, and others that recoveries send again (RFC 6675, `NextSeg`; RFC
//! 8985, 7.3).

use super::super::super::step_count;
use super::RetransmissionQueue;
use super::sent::{LOST, RETRANSMITTED, SACKED, TWICE};
use crate::facts::TxRecord;

impl RetransmissionQueue {
    /// Sends the first segment that was declared lost again. Returns its sequence number and the sequence number
    /// after it.
    pub fn resend_lost(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        if self.lost == 0 {
            return None;
        }
        let mut index = self.index_of(self.resend_from.max(self.una));
        let from = index;
        while !self.segments.get(index)?.has(LOST) {
            index += 1;
        }
        self.walk(index - from);
        let bounds = self.bounds(index);
        let sent = &mut self.segments[index];
        sent.state = (sent.state & !LOST) | RETRANSMITTED;
        self.restamp(index, record);
        self.lost -= 1;
        self.pipe += 1;
        self.resend_from = bounds.1;
        Some(bounds)
    }

    /// `NextSeg` rule 3 (RFC 6675): sends again the first segment below the highest selective acknowledgment that
    /// was neither selectively acknowledged nor sent again, although it is not declared lost.
    pub fn resend_unsacked(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        if self.has_lost() {
            return None;
        }
        let highest = self.sacked.last()?.1;
        let mut index = self.index_of(self.resend_from.max(self.una));
        while let Some(sent) = self.segments.get(index)
            && sent.has(SACKED | RETRANSMITTED)
        {
            step_count::count(1);
            // The next search need not begin earlier.
            self.resend_from = sent.end;
            index += 1;
        }
        if self.segments.get(index)?.end > highest {
            return None;
        }
        let bounds = self.resend_unasked(index, record);
        self.resend_from = bounds.1;
        Some(bounds)
    }

    /// `NextSeg` rule 4 (RFC 6675): sends the last unacknowledged segment again, as a rescue. Earlier segments may
    /// still be declared lost later.
    ///
    /// Narrower than the RFC: there is no rescue if that segment was sent again by rule 3, or was first sent in
    /// this recovery, after `recover`. In both cases the acknowledgments that a rescue would bring are on their
    /// way.
    pub fn resend_last(&mut self, recover: u64, record: &TxRecord) -> Option<(u64, u64)> {
        let index = self.last_unsacked()?;
        let last = self.segments[index];
        if last.has(LOST | RETRANSMITTED) || last.end > recover {
            return None;
        }
        Some(self.resend_unasked(index, record))
    }

    /// Sends the last segment again, as a loss probe (RFC 8985, 7.3).
    pub fn resend_tail(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        let index = self.segments.len().checked_sub(1)?;
        if self.segments[index].has(SACKED | LOST) {
            return None;
        }
        Some(self.resend_unasked(index, record))
    }

    /// Sends the first segment again, as the probe of a timeout (RFC 9002, 6.2.4).
    pub fn resend_head(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        if self.segments.front()?.has(LOST) {
            return None;
        }
        Some(self.resend_unasked(0, record))
    }

    fn resend_unasked(&mut self, index: usize, record: &TxRecord) -> (u64, u64) {
        let sent = &mut self.segments[index];
        if !sent.has(TWICE) {
            self.pipe += 1;
        }
        sent.state |= RETRANSMITTED | TWICE;
        self.restamp(index, record);
        self.bounds(index)
    }

    /// A segment is sent again.
    fn restamp(&mut self, index: usize, record: &TxRecord) {
        let sent = &mut self.segments[index];
        (sent.at, sent.delivered) = (record.sent_at(), record.delivered());
        let key = (sent.at, sent.end);
        self.segments.set_state(index, record.rate());
        if let Some(clock) = &mut self.clock {
            clock.again.push_back(key);
        }
    }

    /// The position of the last segment that was not selectively acknowledged. If the highest block reaches the
    /// end, it is the segment before that block.
    fn last_unsacked(&self) -> Option<usize> {
        let end = self.segments.back()?.end;
        match self.sacked.last() {
            Some((start, high)) if high == end => self.index_of(start).checked_sub(1),
            _ => Some(self.segments.len() - 1),
        }
    }
}
