//! A sender's part in a session (burst-tcp, 3.3.2).

use ackclock_units::Time;

use super::super::mechanism::session::SessionMember;
use super::super::recovery::AckEvent;
use super::Sender;

impl Sender {
    /// The connection is one of a session. To be said before the start.
    pub fn join_session(&mut self, member: SessionMember) {
        (self.refines_acks, self.may_predict) = (true, false);
        self.cold_mut().session = Some(member);
    }

    fn session(&self) -> Option<&SessionMember> {
        self.cold.as_ref()?.session.as_ref()
    }

    /// The duplicates that mean a loss, after an acknowledgment of a segment that was sent once, then: acknowledgments that other
    /// connections have had of segments sent after the first unacknowledged one of this connection count like duplicates, of which
    /// there must be one.
    pub(super) fn threshold_in_session(&self, acknowledged: Option<Time>) -> u32 {
        let usual = self.settings.duplicate_threshold;
        let Some(member) = self.session() else { return usual };
        let most = usual.saturating_sub(1);
        if let Some(sent_at) = acknowledged {
            member.note(sent_at, most as usize);
        }
        let later = self.queue.head().map_or(0, |head| member.later_of_others(head.sent_at()));
        usual - most.min(later as u32)
    }

    /// Too few duplicates for a loss have come: others are to tell this connection of acknowledgments that they get.
    pub(super) fn suspect_in_session(&self) {
        let Some(member) = self.session() else { return };
        let duplicates = self.recovery.duplicates();
        match self.queue.head() {
            Some(head) if duplicates > 0 && self.recovery.is_open() => {
                member.wait(
                    head.sent_at(),
                    self.settings.duplicate_threshold.saturating_sub(duplicates) as usize,
                );
            }
            _ => member.rest(),
        }
    }

    /// The flows that are to hear, by [`on_session`](Self::on_session), of the acknowledgment that came last.
    pub fn told_in_session(&self) -> Vec<u32> {
        self.session().map(SessionMember::take_to_tell).unwrap_or_default()
    }

    /// Others have had acknowledgments that together with the duplicates of this connection mean a loss: it counts one more, with
    /// which they are enough. Does nothing if this has passed, or if nothing came.
    pub fn on_session(&mut self, now: Time) {
        if !self.session().is_some_and(SessionMember::take_told) || !self.recovery.is_open() {
            return;
        }
        let pipe_before = self.queue.pipe();
        let timer = AckEvent::timer(now, self.next, self.counters.rtt_samples, &self.rtt, &self.settings);
        let event = AckEvent { duplicate: true, duplicate_threshold: 1, ..timer };
        let reaction = self.recovery.on_ack(self.recovery.recovery(), &event, &mut self.queue);
        self.take_losses(now, pipe_before, reaction);
    }
}
