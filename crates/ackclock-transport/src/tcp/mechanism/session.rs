//! TCP Session's integrated loss recovery (burst-tcp, 3.3.2): acknowledgments of one connection tell others of the same pair of
//! hosts that their segments are lost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_units::Time;

/// The connections between two hosts, whose packets all take the same way in the order in which they are sent.
#[derive(Clone, Debug, Default)]
pub struct Session(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    joined: u64,
    /// Of the latest acknowledgments, the connection and the time at which the segment acknowledged was sent; the latest-sent
    /// first.
    latest: Vec<(u64, Time)>,
    waiting: Vec<Suspicion>,
    /// The connections, and their flows, whose suspicion has become a loss, until they, and the flows, are asked for.
    told: Vec<u64>,
    to_tell: Vec<u32>,
}

/// A connection with duplicates, too few for a loss.
#[derive(Clone, Copy, Debug)]
struct Suspicion {
    member: u64,
    flow: u32,
    /// The time at which its first unacknowledged segment was sent.
    sent_at: Time,
    /// Acknowledgments of others that make it a loss.
    needed: usize,
}

impl State {
    /// The acknowledgments that others than this connection have had of segments sent after `sent_at`, as far as they are kept.
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
    /// One more connection, by the number of its flow.
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
    /// An acknowledgment arrived of a segment that was sent at `sent_at`, once. Others ask for `enough` such at the most.
    fn note(&self, sent_at: Time, enough: usize) {
        let mut guard = self.session.state();
        let state = &mut *guard;
        let latest = &mut state.latest;
        latest.insert(latest.partition_point(|(_, known)| *known > sent_at), (self.number, sent_at));
        // Of this connection no more than enough, and as many of others, whoever asks.
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

    /// The duplicates that mean a loss, `usual` ones otherwise, after an acknowledgment of a segment that was sent once, at
    /// `acknowledged`. Acknowledgments that other connections have had of segments sent after `head`, the first unacknowledged one
    /// of this connection, count like duplicates, of which there must be one.
    pub(crate) fn threshold(&self, usual: u32, acknowledged: Option<Time>, head: Option<Time>) -> u32 {
        let most = usual.saturating_sub(1);
        if let Some(sent_at) = acknowledged {
            self.note(sent_at, most as usize);
        }
        let later = head.map_or(0, |sent_at| self.later_of_others(sent_at));
        usual - most.min(later as u32)
    }

    /// Too few duplicates for a loss of the segment sent at `sent_at` have come: others are to tell this connection of
    /// acknowledgments that they get. Or it has nothing to suspect.
    pub(crate) fn suspect(&self, sent_at: Option<Time>, missing: u32) {
        match sent_at {
            Some(sent_at) => self.wait(sent_at, missing as usize),
            None => self.rest(),
        }
    }

    /// The acknowledgments that other connections have had of segments sent after `sent_at`, as far as they are kept.
    fn later_of_others(&self, sent_at: Time) -> usize {
        self.session.state().later_of_others(self.number, sent_at)
    }

    /// A loss of the segment that was sent at `sent_at` needs `needed` more acknowledgments of others.
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

    /// The flows that are to look whether they have been told.
    pub(crate) fn take_to_tell(&self) -> Vec<u32> {
        std::mem::take(&mut self.session.state().to_tell)
    }

    /// True if others have told it of a loss since the last call.
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
