//! Segments lost by the clock (RFC 8985, 6.2): those sent long enough ago, and before a segment that was delivered.

use ackclock_units::{Duration, Time};

use super::super::rewind::rewind;
use super::RetransmissionQueue;
use super::by_clock::ByClock;
use super::sent::{LOST, RETRANSMITTED, SACKED, SentKey};

/// The result of a search for late segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Late {
    /// True if a segment was declared lost.
    pub lost: bool,
    /// True if one of these had been sent again.
    pub again: bool,
    /// The sending time of the latest segment that may still become late.
    pub latest_waiting: Option<Time>,
}

/// The rule for late segments: sent before `newest`, which was delivered, and longer than `wait` ago.
#[derive(Clone, Copy)]
struct Judge {
    newest: SentKey,
    now: Time,
    wait: Duration,
    /// True if [`Late::latest_waiting`] is needed.
    seeks_latest: bool,
}

impl Judge {
    fn is_late(&self, sent_at: Time) -> bool {
        sent_at + self.wait <= self.now
    }
}

impl RetransmissionQueue {
    /// Declares segments lost that were sent before `newest`, which was delivered, and longer than `wait` ago (RFC
    /// 8985, 6.2, step 5). A segment sent again is judged by its latest copy. The queue must be kept
    /// [`by_clock`](Self::by_clock).
    pub fn declare_late_lost(&mut self, newest: SentKey, now: Time, wait: Duration) -> Late {
        self.judge(&Judge { newest, now, wait, seeks_latest: true })
    }

    /// Declares segments lost that were sent longer than `wait` ago, after a timeout (RFC 8985, 6.3). Segments lie in
    /// the order of their sending, so the first that is not old ends the search.
    pub fn declare_old_lost(&mut self, now: Time, wait: Duration) {
        self.judge(&Judge { newest: (Time::MAX, u64::MAX), now, wait, seeks_latest: false });
    }

    fn judge(&mut self, judge: &Judge) -> Late {
        let mut late = Late::default();
        let Some(mut clock) = self.clock.take() else { return late };
        let once = self.declare_late_of_once(judge, &mut clock, &mut late);
        let again = self.declare_late_of_again(judge, &mut clock, &mut late);
        self.clock = Some(clock);
        // The segment with the highest sequence number of all these stands for the loss.
        if let Some(index) = once.max(again) {
            self.note_latest_lost(index);
        }
        late
    }

    /// Declares late segments lost among those sent once, and returns the last of them. Segments later in the queue
    /// were sent later.
    fn declare_late_of_once(&mut self, judge: &Judge, clock: &mut ByClock, late: &mut Late) -> Option<usize> {
        let (mut last, mut place) = (None, None);
        let mut index = self.index_of(clock.once_from.max(self.una()));
        let mut steps = 0;
        while let Some(sent) = self.segments.get(index).copied() {
            steps += 1;
            let judged = sent.has(SACKED | LOST | RETRANSMITTED);
            if !sent.has(RETRANSMITTED) && (sent.at, sent.end) >= judge.newest {
                break;
            }
            if judged || judge.is_late(sent.at) {
                if !judged {
                    late.lost = true;
                    self.declare_lost_at(index);
                    last = Some(index);
                }
                // Neighbouring segments that are selectively acknowledged are settled, too.
                let selected = sent.has(SACKED).then_some(sent.end - 1);
                let range = selected.and_then(|sequence| self.sacked.containing_next(&mut place, sequence));
                let end = range.map_or(sent.end, |(_, end)| end);
                if late.latest_waiting.is_none() {
                    clock.once_from = end;
                }
                index = if end > sent.end { self.index_of(end) } else { index + 1 };
            } else {
                late.latest_waiting = Some(sent.at);
                if !judge.seeks_latest {
                    break;
                }
                index += 1;
            }
        }
        self.walk(steps);
        last
    }

    /// Declares late segments lost among those sent again, and returns the last of them.
    fn declare_late_of_again(
        &mut self,
        judge: &Judge,
        clock: &mut ByClock,
        late: &mut Late,
    ) -> Option<usize> {
        let mut last = None;
        let mut place = 0;
        let mut steps = 0;
        while let Some(key) = clock.again.get(place).copied()
            && key.0 <= judge.newest.0
        {
            steps += 1;
            let waits = self.copy_under_way(key);
            let is_due = waits.is_some() && key < judge.newest;
            if let Some(index) = waits
                && is_due
                && judge.is_late(key.0)
            {
                late.lost = true;
                late.again = true;
                self.declare_lost_at(index);
                last = last.max(Some(index));
            } else if waits.is_some() {
                if !judge.seeks_latest {
                    break;
                }
                if is_due {
                    late.latest_waiting = late.latest_waiting.max(Some(key.0));
                }
                place += 1;
                continue;
            }
            // The segment is settled: it arrived or was declared lost.
            if place == 0 {
                clock.again.pop_front();
            } else {
                place += 1;
            }
        }
        rewind(&mut clock.again);
        self.walk(steps);
        last
    }

    /// The position of the segment of which this copy was sent, if the copy is its latest and its fate is open.
    fn copy_under_way(&self, (sent_at, end): SentKey) -> Option<usize> {
        if end <= self.una() {
            return None;
        }
        let index = self.index_of(end - 1);
        let sent = self.segments.get(index)?;
        (sent.end == end && sent.at == sent_at && !sent.has(SACKED | LOST)).then_some(index)
    }
}
