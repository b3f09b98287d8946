//! Forward RTO-Recovery (RFC 5682): after a timeout the first segment alone is sent again. Once that is acknowledged, new data is
//! sent in place of what else was presumed lost, and the next acknowledgment tells whether the originals arrive.

use ackclock_catalogue::{Entry, Key};

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "f-rto",
    title: "the two acknowledgments after a timeout show whether it was spurious",
    source: "RFC 5682",
    table: "tcp",
    keys: &[Key::optional("frto", "true", "whether timeouts are judged")],
    ..Entry::PLAIN
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Off,
    /// The first segment is sent again (step 1); `recover` follows what was outstanding.
    First { recover: u64 },
    /// So many new segments may go yet, and the next acknowledgment decides (step 3).
    Second { recover: u64, allowance: u8 },
}

/// The new segments that step 2 lets go.
const NEW_SEGMENTS: u8 = 2;

/// An acknowledgment that arrives after a timeout.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct Evidence {
    /// It advanced SND.UNA.
    pub advanced: bool,
    /// It repeats the last one, without SACK.
    pub duplicate: bool,
    pub una: u64,
    /// The highest sequence number acknowledged in either way.
    pub highest: u64,
    /// The least sequence number after a segment newly delivered that was sent once only; `u64::MAX` for none.
    pub lowest_once: u64,
    /// There is new data, and the receive window has room for it.
    pub has_new: bool,
    /// Selective acknowledgments are in use.
    pub sack: bool,
}

/// The judgement of a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// None yet, or none possible.
    Open,
    /// The originals arrive.
    Spurious,
    /// The new segments alone arrived.
    Genuine,
}

/// The detection of spurious timeouts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frto {
    state: State,
}

impl Frto {
    /// Whether a timeout waits for its judgement.
    #[inline]
    pub fn is_active(self) -> bool {
        self.state != State::Off
    }

    /// The timer expired, while no other loss was being recovered, or again before anything was acknowledged (step 1).
    pub fn on_timeout(&mut self, was_open: bool, next: u64) {
        let may_judge = was_open || matches!(self.state, State::First { .. });
        self.state = if may_judge { State::First { recover: next } } else { State::Off };
    }

    /// The timeout is not judged, or was.
    pub fn stop(&mut self) {
        self.state = State::Off;
    }

    /// Whether new data goes before what was presumed lost.
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
            State::First { recover } => {
                self.state = first_acknowledgment(recover, evidence);
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

/// Step 2. Without SACK a duplicate ends it (2a); with SACK it tells nothing of the retransmission yet.
fn first_acknowledgment(recover: u64, evidence: &Evidence) -> State {
    let waits = !evidence.advanced && (evidence.sack || !evidence.duplicate);
    if waits {
        State::First { recover }
    } else if evidence.advanced && evidence.una < recover && evidence.has_new {
        State::Second { recover, allowance: NEW_SEGMENTS }
    } else {
        State::Off
    }
}

/// Step 3. With SACK the new segments alone arrived (3a), or an original did (3b); without it they made a duplicate, or the
/// originals advanced SND.UNA.
fn second_acknowledgment(recover: u64, evidence: &Evidence) -> Verdict {
    let is_of_originals = evidence.lowest_once <= recover;
    let is_of_new_data = evidence.highest > recover;
    let (is_spurious, tells) = if evidence.sack {
        let tells = is_of_new_data || is_of_originals || evidence.una >= recover;
        (is_of_originals && !is_of_new_data, tells)
    } else {
        (evidence.advanced, evidence.advanced || evidence.duplicate)
    };
    match (tells, is_spurious) {
        (false, _) => Verdict::Open,
        (true, true) => Verdict::Spurious,
        (true, false) => Verdict::Genuine,
    }
}
