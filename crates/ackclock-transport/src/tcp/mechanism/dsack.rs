//! Detection of needless retransmissions from reported duplicates (RFC 2883, RFC 3708). If every retransmission of an
//! episode is reported as a duplicate, the originals had arrived too, and nothing was lost.

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "dsack",
    title: "an episode all of whose retransmissions are reported to have arrived again is undone",
    source: "RFC 2883; RFC 3708",
    table: "tcp",
    keys: &[Settings::switch("dsack")],
    ..Entry::PLAIN
};

/// The copies of a segment that was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copies {
    /// One retransmission, not reported.
    One,
    /// One retransmission, reported to have arrived in addition to the original.
    Duplicate,
    /// More than one retransmission.
    Several,
}

/// A segment that was sent again.
#[derive(Clone, Copy, Debug)]
struct Again {
    start: u64,
    end: u64,
    copies: Copies,
}

/// The retransmissions of the latest episode, and earlier ones of the same window of data. Follows the steps of RFC
/// 3708, section 3.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dsack {
    /// True if an episode waits for its judgment.
    is_armed: bool,
    /// True if the network makes copies: then a report proves nothing about retransmissions.
    path_duplicates: bool,
    /// In the order of sequence numbers.
    again: Vec<Again>,
    /// How many of these segments are not reported to have arrived twice.
    unreported: usize,
    /// Retransmissions below this may have been forgotten.
    known_from: u64,
}

impl Dsack {
    /// Notes that an episode begins; its window of data starts at `una`, the first unacknowledged sequence number.
    pub fn arm(&mut self, una: u64) {
        self.is_armed = true;
        self.forget_below(una);
    }

    /// Notes that the episode is over, judged or not.
    pub fn disarm(&mut self) {
        self.is_armed = false;
    }

    /// The segment `[start, end)` is sent again.
    pub fn on_retransmission(&mut self, start: u64, end: u64, una: u64) {
        if self.path_duplicates {
            return;
        }
        if !self.is_armed {
            self.forget_below(una);
        }
        let place = self.again.partition_point(|segment| segment.start < start);
        match self.again.get_mut(place) {
            Some(segment) if segment.start == start => {
                self.unreported += usize::from(segment.copies == Copies::Duplicate);
                segment.copies = Copies::Several;
            }
            _ => {
                self.again.insert(place, Again { start, end, copies: Copies::One });
                self.unreported += 1;
            }
        }
    }

    /// Takes the report of a duplicate. Returns true if all retransmissions in the window of the episode were needless.
    /// `is_blind` is true if the duplicate begins at the first unacknowledged sequence number and nothing is
    /// selectively acknowledged.
    pub fn is_spurious(&mut self, (start, end): (u64, u64), is_blind: bool) -> bool {
        // (A.1): a whole window of acknowledgments was lost, so the way back is congested.
        if is_blind {
            self.is_armed = false;
            return false;
        }
        let place = self.again.partition_point(|segment| segment.start < start);
        let Some(segment) = self.again.get_mut(place).filter(|segment| segment.end <= end) else {
            self.note_copy_of_once(end);
            return false;
        };
        match segment.copies {
            // (A.2)
            Copies::One => {
                segment.copies = Copies::Duplicate;
                self.unreported -= 1;
            }
            Copies::Duplicate => {}
            // (A.3)
            Copies::Several => self.is_armed = false,
        }
        // (B)
        self.is_armed && self.unreported == 0
    }

    /// (A.4): a segment that was sent once, and ends before `end`, arrived twice. The network made the copy, and there may be
    /// others: no episode of this connection is judged from now on. Segments below `known_from` are exempt, since they
    /// may have been sent again.
    fn note_copy_of_once(&mut self, end: u64) {
        if end > self.known_from {
            self.path_duplicates = true;
            self.is_armed = false;
            self.again = Vec::new();
        }
    }

    fn forget_below(&mut self, una: u64) {
        let kept = self.again.partition_point(|segment| segment.start < una);
        for forgotten in self.again.drain(..kept) {
            self.known_from = self.known_from.max(forgotten.end);
            self.unreported -= usize::from(forgotten.copies != Copies::Duplicate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments of one byte each, sent again in an episode whose window begins with segment 10.
    fn episode(again: &[u64]) -> Dsack {
        let mut dsack = Dsack::default();
        dsack.arm(10);
        for &number in again {
            dsack.on_retransmission(number, number + 1, 10);
        }
        dsack
    }

    /// The judgment after each report.
    fn reports(dsack: &mut Dsack, numbers: &[u64]) -> Vec<bool> {
        numbers.iter().map(|&number| dsack.is_spurious((number, number + 1), false)).collect()
    }

    /// (A.2), (B.1) and (B.2): the last report of all is the judgment.
    #[test]
    fn all_retransmissions_have_to_be_reported() {
        assert_eq!(reports(&mut episode(&[10, 12, 15]), &[12, 10, 10, 15]), [false, false, false, true]);
    }

    /// (A.1): the report of the first unacknowledged segment, with an empty scoreboard, ends the matter for this window.
    #[test]
    fn a_window_without_acknowledgments_is_congestion() {
        let mut dsack = episode(&[10, 11]);
        assert!(!dsack.is_spurious((10, 11), true));
        assert_eq!(reports(&mut dsack, &[10, 11]), [false, false]);
        dsack.arm(30);
        dsack.on_retransmission(30, 31, 30);
        assert_eq!(reports(&mut dsack, &[30]), [true], "the next window is judged again");
    }

    /// (A.3): which copy arrived twice is not known.
    #[test]
    fn a_segment_sent_again_twice_leaves_it_open() {
        assert_eq!(reports(&mut episode(&[10, 11, 10]), &[11, 10, 10, 11]), [false; 4]);
    }

    /// (A.4): for the remainder of the connection. Of what lies before the window nothing is concluded.
    #[test]
    fn a_copy_made_by_the_network_ends_all_judgments() {
        let mut dsack = episode(&[10]);
        assert_eq!(reports(&mut dsack, &[11, 10]), [false, false]);
        dsack.arm(30);
        dsack.on_retransmission(30, 31, 30);
        assert_eq!(reports(&mut dsack, &[30]), [false]);
        let mut dsack = episode(&[10, 14]);
        dsack.arm(20);
        dsack.on_retransmission(20, 21, 20);
        assert_eq!(reports(&mut dsack, &[12, 20]), [false, true], "12 may have been sent again too");
    }

    /// (B) asks for all retransmissions of the window: a probe before the episode is one of them.
    #[test]
    fn what_was_sent_again_before_the_episode_counts() {
        let mut dsack = Dsack::default();
        dsack.on_retransmission(17, 18, 10);
        dsack.arm(10);
        dsack.on_retransmission(10, 11, 10);
        assert_eq!(reports(&mut dsack, &[10, 17]), [false, true]);
    }
}
