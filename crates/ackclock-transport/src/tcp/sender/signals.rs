//! Congestion episodes: the signals that begin one, and the detection of spurious ones: by timestamps (Eifel), by the
//! acknowledgments after a timeout (F-RTO) or by reported duplicates (DSACK).

use crate::facts::SignalFilter;

use super::super::mechanism::ecn::Ecn;
use super::super::mechanism::eifel::Eifel;
use super::super::mechanism::frto::{Evidence, Verdict};
use super::super::mechanism::retransmission_queue::{RetransmissionQueue, Sent};
use super::super::mechanism::spurious_detection::SpuriousDetection;
use super::super::settings::Settings;

/// The signals of congestion.
pub(super) struct Signals {
    filter: SignalFilter,
    ecn: Ecn,
    eifel: Eifel,
    /// The detection of spurious episodes without timestamps, if it is used.
    detection: Option<Box<SpuriousDetection>>,
    /// Episodes found from acknowledgments.
    episodes: u32,
    /// Episodes found spurious afterwards.
    spurious: u32,
    /// Packets delivered by acknowledgments that echo marks, or marked, if acknowledgments count marks.
    marked: u64,
}

/// A timeout as the detection of spurious timeouts sees it.
#[derive(Clone, Copy)]
pub(super) struct TimeoutFacts {
    /// True if the timer had sent the segment again before.
    pub repeated: bool,
    /// True if no recovery is under way that forbids the judgment (RFC 5682, 2.1 and 3.1, step 1).
    pub may_judge: bool,
    /// True if the congestion window was below a packet.
    pub below_one: bool,
    /// The next sequence number.
    pub next: u64,
}

impl Signals {
    pub fn new(settings: &Settings) -> Signals {
        Signals {
            filter: SignalFilter::default(),
            ecn: Ecn::default(),
            eifel: Eifel::default(),
            detection: SpuriousDetection::of(settings),
            episodes: 0,
            spurious: 0,
            marked: 0,
        }
    }

    /// Episodes found from acknowledgments, and those found spurious afterwards.
    pub fn counts(&self) -> (u32, u32) {
        (self.episodes, self.spurious)
    }

    /// True if a loss in this round trip, while `una` is not acknowledged, begins an episode: a second one within a
    /// round trip (a retransmission found lost by a fine-grained timeout, or reordering) reports the same congestion.
    /// So does a loss in a window that a mark has reduced.
    pub fn admits_loss(&self, round: u64, una: u64) -> bool {
        self.filter.admits(round) && !self.ecn.has_reduced_since(una)
    }

    /// True if a mark in this round trip, echoed when `una` was reached, is a new signal: there is one per window of
    /// data (RFC 3168, 6.1.2).
    pub fn admits_mark(&self, round: u64, una: u64) -> bool {
        self.filter.admits(round) && self.ecn.is_new_signal(una)
    }

    /// Begins an episode with a loss.
    pub fn begin_with_loss(&mut self, round: u64, queue: &RetransmissionQueue) {
        self.filter.begin(round);
        // If the first segment was sent again before the episode, its acknowledgment will not judge the episode.
        if queue.head().is_some_and(Sent::is_lost) {
            self.eifel.arm();
        } else {
            self.eifel.disarm();
        }
        if let Some(detection) = &mut self.detection {
            detection.dsack.arm(queue.una());
        }
        self.episodes += 1;
    }

    /// Begins an episode with a mark. Nothing can show that it is spurious.
    pub fn begin_with_mark(&mut self, round: u64) {
        self.filter.begin(round);
        self.eifel.disarm();
        if let Some(detection) = &mut self.detection {
            detection.dsack.disarm();
        }
    }

    /// The retransmission timer expired: the next signal begins another episode.
    pub fn time_out(&mut self, timeout: TimeoutFacts, settings: &Settings, queue: &RetransmissionQueue) {
        let TimeoutFacts { repeated, may_judge, below_one, next } = timeout;
        self.filter.time_out();
        // RFC 3522, step 2: a second timeout of the same segment does not begin another episode.
        if !repeated {
            self.eifel.arm();
        }
        let Some(detection) = &mut self.detection else { return };
        if !repeated {
            detection.dsack.arm(queue.una());
        }
        if settings.frto && !below_one {
            let again = queue.head().map_or(next, |head| head.end());
            detection.frto.on_timeout(may_judge, next, again);
        }
    }

    /// True if no episode waits to be judged by timestamps.
    #[inline]
    pub fn is_judged(&self) -> bool {
        self.eifel.is_off()
    }

    /// True if a timeout waits for its judgment.
    #[inline]
    pub fn is_judging_timeout(&self) -> bool {
        self.detection.as_ref().is_some_and(|detection| detection.frto.is_active())
    }

    /// True if new data is sent before the segments that a timeout presumed lost.
    #[inline]
    pub fn sends_new_first(&self) -> bool {
        self.detection.as_ref().is_some_and(|detection| detection.frto.sends_new())
    }

    /// New data is sent.
    #[inline]
    pub fn note_new(&mut self) {
        if let Some(detection) = &mut self.detection {
            detection.frto.on_new_sent();
        }
    }

    /// Notes that a segment is sent again, with this timestamp if it has one.
    pub fn note_again(&mut self, timestamp: Option<u32>) {
        if let Some(timestamp) = timestamp {
            self.eifel.on_retransmission(timestamp);
        }
    }

    /// Notes that the data `[start, end)` is sent again.
    #[inline]
    pub fn note_data_again(&mut self, start: u64, end: u64, una: u64) {
        if let Some(detection) = &mut self.detection {
            detection.dsack.on_retransmission(start, end, una);
        }
    }

    /// Judges the latest episode when new data is acknowledged. Returns true if the timestamp shows that it was
    /// spurious.
    #[inline]
    pub fn is_spurious_by_timestamp(&mut self, echo: u32, all_acknowledged: bool) -> bool {
        self.eifel.is_spurious(echo, all_acknowledged)
    }

    /// The judgment of the latest timeout by an acknowledgment after it.
    #[cold]
    pub fn judge_timeout(&mut self, evidence: &Evidence) -> Verdict {
        self.detection.as_mut().map_or(Verdict::Open, |detection| detection.frto.judge(evidence))
    }

    /// True if all retransmissions of the latest episode are reported as duplicates; `is_blind` as in
    /// [`Dsack::is_spurious`](super::super::mechanism::dsack::Dsack::is_spurious).
    #[cold]
    pub fn is_spurious_by_report(&mut self, duplicate: (u64, u64), is_blind: bool) -> bool {
        self.detection.as_mut().is_some_and(|detection| detection.dsack.is_spurious(duplicate, is_blind))
    }

    /// Notes that the latest episode was spurious and is judged.
    pub fn undo(&mut self) {
        self.eifel.disarm();
        if let Some(detection) = &mut self.detection {
            detection.dsack.disarm();
            detection.frto.stop();
        }
        self.spurious += 1;
    }

    /// Counts packets whose acknowledgment echoes marks.
    pub fn count_marked(&mut self, packets: u32) {
        self.marked += u64::from(packets);
    }

    /// Packets counted so.
    pub fn marked(&self) -> u64 {
        self.marked
    }

    #[inline]
    pub fn ecn(&self) -> &Ecn {
        &self.ecn
    }

    #[inline]
    pub fn ecn_mut(&mut self) -> &mut Ecn {
        &mut self.ecn
    }
}
