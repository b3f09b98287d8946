//! Forward RTO-Recovery (RFC 5682): after a timeout only the first segment is sent again. Once it is acknowledged, new
//! data is sent instead of the other segments presumed lost, and the next acknowledgment shows whether the originals
//! arrive.

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "f-rto",
    title: "the two acknowledgments after a timeout show whether it was spurious",
    source: "RFC 5682",
    table: "tcp",
    keys: &[Settings::switch("frto")],
    ..Entry::PLAIN
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Off,
    /// The first segment, which ends before `again`, is sent again (step 1); `recover` follows what was outstanding.
    First { recover: u64, again: u64 },
    /// This many new segments may still be sent, and the next acknowledgment decides (step 3).
    Second { recover: u64, allowance: u8 },
}

/// The new segments that step 2 releases.
const NEW_SEGMENTS: u8 = 2;

/// An acknowledgment that arrives after a timeout.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct Evidence {
    /// It advanced SND.UNA.
    pub advanced: bool,
    /// True if it acknowledged segments selectively for the first time.
    pub selective: bool,
    /// True if it repeats the acknowledgment number of the last one (RFC 5681, section 2).
    pub duplicate: bool,
    pub una: u64,
    /// The highest sequence number acknowledged in either way.
    pub highest: u64,
    /// True if there is new data, and the receive window has room for it.
    pub has_new: bool,
    /// True if selective acknowledgments are in use.
    pub sack: bool,
}

/// The judgment of a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// None yet, or none possible.
    Open,
    /// The originals arrive.
    Spurious,
    /// Only the new segments arrived.
    Genuine,
}

/// The detection of spurious timeouts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frto {
    state: State,
}

impl Frto {
    /// True if a timeout waits for its judgment.
    #[inline]
    pub fn is_active(self) -> bool {
        self.state != State::Off
    }

    /// Notes that the timer expired (step 1), and that the segment that ends before `again` is sent again. `may_enter`
    /// is false during a recovery in which the judgment would be wrong. A further timeout before anything was
    /// acknowledged starts again at step 1.
    pub fn on_timeout(&mut self, may_enter: bool, next: u64, again: u64) {
        let may_judge = may_enter || matches!(self.state, State::First { .. });
        self.state = if may_judge { State::First { recover: next, again } } else { State::Off };
    }

    /// Ends the judgment of the timeout.
    pub fn stop(&mut self) {
        self.state = State::Off;
    }

    /// True if new data is sent before the segments presumed lost.
    pub fn sends_new(self) -> bool {
        matches!(self.state, State::Second { allowance: 1.., .. })
    }

    /// New data was sent.
    pub fn on_new_sent(&mut self) {
        if let State::Second { allowance, .. } = &mut self.state {
            *allowance = allowance.saturating_sub(1);
        }
    }

    /// Takes an acknowledgment.
    pub fn judge(&mut self, evidence: &Evidence) -> Verdict {
        match self.state {
            State::Off => Verdict::Open,
            State::First { recover, again } => {
                self.state = first_acknowledgment(recover, again, evidence);
                Verdict::Open
            }
            State::Second { recover, .. } => {
                let verdict = second_acknowledgment(recover, evidence);
                if verdict != Verdict::Open {
                    self.state = State::Off;
                }
                verdict
            }
        }
    }
}

/// Step 2. Without SACK a duplicate ends the judgment, and so does an acknowledgment of a part of the segment from step
/// 1 (2a). With SACK neither proves anything about the retransmission yet.
fn first_acknowledgment(recover: u64, again: u64, evidence: &Evidence) -> State {
    let covers_again = evidence.advanced && evidence.una >= again;
    let waits = !covers_again && (evidence.sack || !(evidence.advanced || evidence.duplicate));
    if waits {
        State::First { recover, again }
    } else if covers_again && evidence.una < recover && evidence.has_new {
        State::Second { recover, allowance: NEW_SEGMENTS }
    } else {
        State::Off
    }
}

/// Step 3. With SACK, if data arrived above what was outstanding, the timeout was genuine (3a). All other newly
/// acknowledged data was sent before the timeout (3b). A duplicate without such news comes from the new segments (3a).
fn second_acknowledgment(recover: u64, evidence: &Evidence) -> Verdict {
    if evidence.sack && evidence.highest > recover {
        Verdict::Genuine
    } else if evidence.advanced || evidence.selective {
        Verdict::Spurious
    } else if evidence.duplicate {
        Verdict::Genuine
    } else {
        Verdict::Open
    }
}
