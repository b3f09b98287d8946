//! RACK-TLP (RFC 8985): a segment is lost if one sent later was delivered, and it had time enough to be merely late. The
//! clock tells also what three duplicates never can: that a retransmission was lost. Where nothing comes back at all, a
//! probe is sent after two round-trip times, so that there is something to be told.
//!
//! Receivers here send no DSACK (RFC 2883), so the reordering window stays at a quarter of the smallest round-trip time
//! (its adaptation is RECOMMENDED in section 4, not required).

use ackclock_units::{Duration, Time};

use super::{AckEvent, Phase, Reaction, RecoveryState, RetransmissionQueue};

/// The latest-sent segment known to be delivered: when it was sent, and the sequence number after it, which breaks ties.
pub(crate) type SentKey = (Time, u64);

/// What the next expiry of RACK-TLP's timer means (section 8: one at a time).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Due {
    /// Segments within the reordering window are late now.
    #[default]
    Reordering,
    /// Nothing was heard for long: a loss probe.
    Probe,
}

/// The state of RACK-TLP (section 5.3).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rack {
    /// `RACK.xmit_ts` and `RACK.end_seq`.
    newest: SentKey,
    /// `RACK.rtt`.
    rtt: Duration,
    /// `RACK.fack`: the highest sequence number acknowledged in either way.
    fack: u64,
    reordering_seen: bool,
    /// Its timer; [`Time::MAX`] while it is off.
    pub timer: Time,
    due: Due,
    /// A probe is to be sent now.
    pub probe_due: bool,
    /// `TLP.end_seq`, and `TLP.is_retrans`.
    probed: Option<(u64, bool)>,
    /// Round-trip times measured when the last probe was sent: the next needs another (section 7.3).
    samples_at_probe: u64,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            newest: (Time::ZERO, 0),
            rtt: Duration::ZERO,
            fack: 0,
            reordering_seen: false,
            timer: Time::MAX,
            due: Due::Reordering,
            probe_due: false,
            probed: None,
            samples_at_probe: 0,
        }
    }
}

impl Rack {
    /// Section 6.2, step 5: until when some segments are not late yet; none if no segment waits.
    fn wait_for_late(&mut self, until: Option<Time>) {
        if let Some(until) = until {
            self.timer = until;
            self.due = Due::Reordering;
        } else if self.due == Due::Reordering {
            self.timer = Time::MAX;
        }
    }

    /// Section 7.2: a probe is due two round-trip times from now, and not later than the retransmission timer. Where
    /// segments are late before, they need none: of the timers that exclude each other (section 8), theirs goes first.
    pub fn schedule_probe(&mut self, now: Time, srtt: Duration, ack_delay: Option<Duration>, rto: Time) {
        if self.due == Due::Reordering && self.timer < Time::MAX {
            return;
        }
        let interval = if srtt.is_zero() { Duration::from_secs(1) } else { srtt + srtt };
        self.timer = (now + interval + ack_delay.unwrap_or_default()).min(rto);
        self.due = Due::Probe;
    }

    pub fn cancel_probe(&mut self) {
        if self.due == Due::Probe {
            self.timer = Time::MAX;
        }
    }

    /// The timer expired; whether it was that of a probe. The probe is sent if there is no other in the network and the
    /// round-trip time was measured since the last one (section 7.3).
    pub fn take_probe_timer(&mut self, samples: u64) -> bool {
        self.timer = Time::MAX;
        let is_probe = self.due == Due::Probe;
        self.probe_due = is_probe && self.probed.is_none() && samples > self.samples_at_probe;
        is_probe
    }

    /// A probe was sent, of new data or again; `next` is what follows it.
    pub fn note_probe(&mut self, next: u64, again: bool, samples: u64) {
        self.probed = Some((next, again));
        self.samples_at_probe = samples;
    }

    /// Section 7.4.2: whether this acknowledgment shows that a probe has repaired a loss by itself, which is a loss to
    /// the congestion controller nevertheless. One that `repeats` the latest without any block shows that it was needless.
    pub fn repaired_by_probe(&mut self, una: u64, repeats: bool) -> bool {
        let Some((end, again)) = self.probed.filter(|(end, _)| una >= *end) else { return false };
        if !again || una > end || repeats {
            self.probed = None;
        }
        again && una > end
    }

    /// Section 7.1: fast recovery or the restart after a timeout begins.
    fn forget_probe(&mut self) {
        self.probed = None;
        self.probe_due = false;
        self.timer = Time::MAX;
    }

    /// Section 6.2, step 4.
    fn reordering_window(&self, ack: &AckEvent, phase: Phase, flight: &RetransmissionQueue) -> Duration {
        let recovering = phase != Phase::Open;
        if !self.reordering_seen && (recovering || flight.sacked_segments() >= ack.threshold) {
            return Duration::ZERO;
        }
        (ack.min_rtt / 4).min(ack.srtt)
    }
}

pub(crate) fn on_ack(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
) -> Reaction {
    if ack.advanced && flight.una() >= state.recover {
        state.phase = Phase::Open;
    }
    // Steps 2 and 3.
    let rack = &mut state.rack;
    if let Some(sent) = ack.newest {
        rack.rtt = ack.now.since(sent.0);
        rack.newest = rack.newest.max(sent);
    }
    rack.reordering_seen |= ack.lowest_once < rack.fack;
    rack.fack = rack.fack.max(flight.highest_acknowledged());
    detect(ack, state, flight)
}

/// Step 5, also when the reordering timer expires: declares lost what is late, and sets the timer for what is not yet.
pub(crate) fn detect(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
) -> Reaction {
    let wait = state.rack.rtt + state.rack.reordering_window(ack, state.phase, flight);
    let found = flight.declare_late_lost(state.rack.newest, ack.now, wait);
    state.rack.wait_for_late(found.latest_waiting.map(|sent_at| sent_at + wait));
    match state.phase {
        // A retransmission that is lost is a second indication of congestion (sections 3.4 and 9.3).
        Phase::Fast if !found.again => Reaction::None,
        Phase::Open | Phase::Fast if found.lost => {
            state.enter_fast(ack.next);
            state.rack.cancel_probe();
            state.rack.probed = None;
            state.rack.probe_due = false;
            Reaction::Episode { restart: false }
        }
        _ => Reaction::None,
    }
}

/// Section 6.3: of what is outstanding at a timeout, the first segment is lost, and what is older than a round-trip time.
pub(crate) fn restart(ack: &AckEvent, state: &mut RecoveryState, flight: &mut RetransmissionQueue) {
    let wait = state.rack.rtt + state.rack.reordering_window(ack, Phase::Restart, flight);
    state.rack.forget_probe();
    flight.declare_head_lost();
    flight.declare_late_lost((Time::MAX, u64::MAX), ack.now, wait);
    state.begin_restart(ack.next);
}

#[cfg(test)]
mod tests {
    use super::super::super::mechanism::retransmission_queue::TxRecord;
    use super::*;

    const MSS: u64 = 100;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Section 3.5: one segment, and two more just before its timer of a second expires, with a round-trip time of
    /// 200 ms. Only the first is given up; a fourth, older than a round trip, would be as well.
    #[test]
    fn at_a_timeout_what_was_just_sent_is_not_given_up() {
        for (sent, lost) in [(vec![0, 900, 950], 1), (vec![0, 100, 900, 950], 2)] {
            let mut state = RecoveryState::new();
            state.rack.rtt = Duration::from_millis(200);
            let mut flight = RetransmissionQueue::new(1, MSS as u16).by_clock();
            for (segment, millis) in (1..).zip(&sent) {
                let stamp = TxRecord { sent_at: at(*millis), ..TxRecord::default() };
                flight.push(1 + segment * MSS, &stamp);
            }
            let seen = AckEvent {
                now: at(1000),
                advanced: false,
                segments: 0,
                duplicate: false,
                next: 1 + sent.len() as u64 * MSS,
                threshold: 3,
                fine_timeout: Duration::from_secs(1),
                newest: None,
                lowest_once: u64::MAX,
                min_rtt: Duration::from_millis(200),
                srtt: Duration::from_millis(200),
            };
            restart(&seen, &mut state, &mut flight);
            assert_eq!(flight.pipe() as usize, sent.len() - lost);
            assert_eq!(state.phase, Phase::Restart);
        }
    }
}
