//! TCP Session's integrated loss recovery (burst-tcp, 3.3.2): acknowledgments of one connection show others between the
//! same hosts that their segments are lost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_units::Time;

/// The connections between two hosts. All their packets take the same way, in the order in which they are sent.
#[derive(Clone, Debug, Default)]
pub struct Session(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    joined: u64,
    /// The latest acknowledgments: the connection, and the sending time of the acknowledged segment. The latest-sent
    /// comes first.
    latest: Vec<(u64, Time)>,
    waiting: Vec<Suspicion>,
    /// The connections whose suspicion has become a loss, and their flows, until both are fetched.
    told: Vec<u64>,
    to_tell: Vec<u32>,
}

/// A connection with duplicates, but too few for a loss.
#[derive(Clone, Copy, Debug)]
struct Suspicion {
    member: u64,
    flow: u32,
    /// The time at which its first unacknowledged segment was sent.
    sent_at: Time,
    /// The number of acknowledgments of others that make it a loss.
    needed: usize,
}

impl State {
    /// How many acknowledgments of segments sent after `sent_at` other connections have received, as far as they are
    /// kept.
    fn later_of_others(&self, member: u64, sent_at: Time) -> usize {
        self.latest.iter().filter(|(number, sent)| *number != member && *sent > sent_at).count()
    }
}

/// One connection of a session.
#[derive(Clone, Debug)]
pub struct SessionMember {
    number: u64,
    flow: u32,
    session: Session,
}

impl Session {
    /// Adds a connection, by the number of its flow.
    pub fn join(&self, flow: u32) -> SessionMember {
        let mut state = self.state();
        state.joined += 1;
        SessionMember { number: state.joined, flow, session: self.clone() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionMember {
    /// Notes the acknowledgment of a segment that was sent once, at `sent_at`. Other connections need at most `enough`
    /// of them.
    fn note(&self, sent_at: Time, enough: usize) {
        let mut guard = self.session.state();
        let state = &mut *guard;
        let latest = &mut state.latest;
        latest.insert(latest.partition_point(|(_, known)| *known > sent_at), (self.number, sent_at));
        // Keeps up to `enough` of this connection and as many of others, so that any connection finds enough.
        let is_own = |(number, _): &(u64, Time)| *number == self.number;
        if latest.iter().filter(|known| is_own(known)).count() > enough
            && let Some(earliest) = latest.iter().rposition(is_own)
        {
            latest.remove(earliest);
        }
        latest.truncate(2 * enough);
        let is_loss = |one: &Suspicion| state.later_of_others(one.member, one.sent_at) >= one.needed;
        let (lost, waiting): (Vec<_>, Vec<_>) = state.waiting.iter().copied().partition(is_loss);
        state.waiting = waiting;
        state.told.extend(lost.iter().map(|one| one.member));
        state.to_tell.extend(lost.iter().map(|one| one.flow));
    }

    /// The number of duplicates that means a loss, normally `usual`, after the acknowledgment of a segment that was
    /// sent once, at `acknowledged`. If other connections have received acknowledgments of segments sent after `head`,
    /// the first unacknowledged segment of this connection, those count like duplicates. At least one real duplicate is
    /// needed.
    pub(crate) fn threshold(&self, usual: u32, acknowledged: Option<Time>, head: Option<Time>) -> u32 {
        let most = usual.saturating_sub(1);
        if let Some(sent_at) = acknowledged {
            self.note(sent_at, most as usize);
        }
        let later = head.map_or(0, |sent_at| self.later_of_others(sent_at));
        usual - most.min(later as u32)
    }

    /// Notes that duplicates have come, but too few for a loss of the segment sent at `sent_at`: other connections are
    /// then to report their acknowledgments. With none, the connection suspects nothing.
    pub(crate) fn suspect(&self, sent_at: Option<Time>, missing: u32) {
        match sent_at {
            Some(sent_at) => self.wait(sent_at, missing as usize),
            None => self.rest(),
        }
    }

    /// How many acknowledgments of segments sent after `sent_at` other connections have received, as far as they are
    /// kept.
    fn later_of_others(&self, sent_at: Time) -> usize {
        self.session.state().later_of_others(self.number, sent_at)
    }

    /// Waits for `needed` more acknowledgments of others, which would make the segment sent at `sent_at` lost.
    fn wait(&self, sent_at: Time, needed: usize) {
        self.rest();
        let SessionMember { number: member, flow, .. } = *self;
        self.session.state().waiting.push(Suspicion { member, flow, sent_at, needed });
    }

    /// It suspects no loss.
    fn rest(&self) {
        let mut state = self.session.state();
        state.waiting.retain(|one| one.member != self.number);
        state.told.retain(|member| *member != self.number);
    }

    /// The flows that should check whether a loss was reported to them.
    pub(crate) fn take_to_tell(&self) -> Vec<u32> {
        std::mem::take(&mut self.session.state().to_tell)
    }

    /// True if others have reported a loss to it since the last call.
    pub(crate) fn take_told(&self) -> bool {
        let mut state = self.session.state();
        let before = state.told.len();
        state.told.retain(|member| *member != self.number);
        state.told.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// Two of three duplicates may come from others: whoever asks, two are kept that are not its own.
    #[test]
    fn the_latest_of_others_are_counted_whoever_asks() {
        let session = Session::default();
        let (first, second, third) = (session.join(1), session.join(2), session.join(3));
        for (member, time) in [(&first, 10), (&second, 20), (&second, 30), (&second, 40), (&first, 50)] {
            member.note(at(time), 2);
        }
        assert_eq!(third.later_of_others(at(0)), 4, "10 and 50 of the first, 30 and 40 of the second");
        assert_eq!(second.later_of_others(at(0)), 2);
        assert_eq!(second.later_of_others(at(10)), 1);
        assert_eq!(first.later_of_others(at(35)), 1);
        assert_eq!(first.later_of_others(at(40)), 0, "not later");
    }

    /// A connection that waits for two is told by the second later acknowledgment, once.
    #[test]
    fn who_waits_is_told_when_enough_have_come() {
        let session = Session::default();
        let (mouse, elephant) = (session.join(1), session.join(2));
        mouse.wait(at(10), 2);
        for (time, told) in [(5, vec![]), (15, vec![]), (20, vec![1])] {
            elephant.note(at(time), 2);
            assert_eq!(elephant.take_to_tell(), told, "{time} ms");
        }
        assert!(mouse.take_told());
        assert!(!mouse.take_told());
        mouse.wait(at(20), 1);
        mouse.rest();
        elephant.note(at(30), 2);
        assert!(!mouse.take_told(), "it rests");
    }
}
