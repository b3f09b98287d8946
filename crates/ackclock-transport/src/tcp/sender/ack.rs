//! What the sender makes of an acknowledgment, in the order the controller's contract asks for: facts, losses,
//! congestion, and exactly one `on_ack`.

use ackclock_congestion::{Ack, Congestion, Event, LossSample, RateSample, Signal};
use ackclock_units::{Duration, Time};

use crate::wire::{Flags, Header, SackBlocks};

use super::super::mechanism::retransmission_queue::{RateState, RetransmissionQueue, Sent, TxRecord};
use super::super::recovery::{AckEvent, Phase, Prr, Reaction, Recovery, ReductionBound, SentKey};
use super::super::settings::EcnMode;
use super::super::{is_not_before, timestamp};
use super::{Eifel, Sender};

/// What a sender is, as far as acknowledgments are taken otherwise for it. Nearly all are of one class, for which what is
/// done is compiled by itself: questions whose answers are known then are not asked.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SenderClass {
    recovery: Recovery,
    /// Whether the controller learns from samples.
    sampled: bool,
    /// Whether marks are echoed.
    ecn: bool,
}

/// RFC 6675's recovery, and a controller that looks at losses and round-trip times.
const USUAL: SenderClass = SenderClass { recovery: Recovery::Sack, sampled: false, ecn: false };

/// What one acknowledgment newly covers.
#[derive(Clone, Copy, Default)]
struct NewlyAcked {
    /// Segments acknowledged cumulatively, including those selectively acknowledged before.
    cumulative: u32,
    /// Segments selectively acknowledged for the first time.
    selective: u32,
    /// Segments not known to be delivered before.
    delivered: u32,
    /// Whether a cumulatively acknowledged segment had been sent more than once (Karn's rule).
    ambiguous: bool,
    /// The stamp of the latest-sent segment among those newly delivered.
    newest: Option<TxRecord>,
    /// Whether that one had been sent more than once.
    newest_again: bool,
    /// When the latest of those among them was sent that were sent once only.
    newest_clean: Option<Time>,
    /// The least sequence number after one that was sent once only.
    lowest_once: Option<u64>,
    /// RACK: of a segment sent again until then, it is the latest copy that arrived; and the latest-sent of which that is
    /// certain, with the sequence number after it.
    certain_until: Time,
    newest_certain: Option<SentKey>,
}

/// What the controller is told of it.
#[derive(Default)]
pub(crate) struct AckFacts {
    /// [`Ack::acks`].
    pub acks: u32,
    pub delivered: u32,
    pub lost: u32,
    pub ce_marked: u32,
    pub rtt: Option<Duration>,
    pub latest_lost: Option<LossSample>,
    pub rate: Option<RateSample>,
    /// [`Ack::suspended`], [`Ack::advanced`], [`Ack::window_limited`].
    pub suspended: bool,
    pub advanced: bool,
    pub window_limited: bool,
}

impl NewlyAcked {
    fn take_cumulative(&mut self, sent: &Sent, conditions: RateState) {
        self.cumulative += 1;
        self.ambiguous |= sent.is_retransmitted();
        if !sent.is_sacked() {
            self.take_delivered(sent, conditions);
        }
    }

    fn take_selective(&mut self, sent: &Sent, conditions: RateState) {
        self.selective += 1;
        self.take_delivered(sent, conditions);
    }

    fn take_delivered(&mut self, sent: &Sent, conditions: RateState) {
        self.delivered += 1;
        let sent_at = sent.at;
        if self.newest.is_none_or(|known| known.sent_at <= sent_at) {
            self.newest = Some(TxRecord { sent_at, delivered: sent.delivered, conditions });
            self.newest_again = sent.is_retransmitted();
        }
        if !sent.is_retransmitted() {
            self.newest_clean = self.newest_clean.max(Some(sent_at));
            self.lowest_once = Some(self.lowest_once.map_or(sent.end, |lowest| lowest.min(sent.end)));
        }
        if !sent.is_retransmitted() || sent_at <= self.certain_until {
            self.newest_certain = self.newest_certain.max(Some((sent_at, sent.end)));
        }
    }
}

impl RetransmissionQueue {
    /// Takes a selective acknowledgment beside what is newly acknowledged already. That is handed over and given back: a
    /// reference to it would keep it in memory where this is not needed.
    #[inline(never)]
    fn select_all(&mut self, start: u64, end: u64, mut newly: NewlyAcked) -> NewlyAcked {
        self.select(start, end, |sent, conditions| newly.take_selective(sent, conditions));
        newly
    }
}

impl Sender {
    /// Takes an acknowledgment in the established state.
    #[inline]
    pub(crate) fn on_acknowledgment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        let class = SenderClass { recovery: self.recovery, sampled: !self.window_only, ecn: self.ecn.agreed };
        if class == USUAL {
            self.take_acknowledgment(now, header, sack, USUAL);
        } else {
            self.take_acknowledgment(now, header, sack, class);
        }
    }

    #[expect(clippy::inline_always, reason = "once for a class that is known")]
    #[inline(always)]
    fn take_acknowledgment(&mut self, now: Time, header: &Header, sack: &SackBlocks, class: SenderClass) {
        if header.acknowledgment > self.next {
            return;
        }
        self.integrate_cwnd(now);
        self.peer_window = u64::from(header.window);
        if header.acknowledgment >= self.queue.una() {
            self.echo = header.timestamps.value;
        }
        let advanced = header.acknowledgment > self.queue.una();
        let mut newly = NewlyAcked::default();
        if class.recovery == Recovery::Rack {
            newly.certain_until = self.certain_until(now, header);
        }
        let newly = self.cover(header.acknowledgment, sack, advanced, newly);
        let duplicate = self.is_duplicate(header, advanced, &newly, class);
        let delivered = self.count_delivered(&newly, advanced, duplicate, class);

        let rtt = self.sample_rtt(now, header, advanced, &newly);
        let mut rate = self.sampler.update(now, delivered, newly.newest.as_ref()).filter(|_| class.sampled);
        if newly.newest_again {
            // It may have been its first copy that arrived: a flight in less than a round-trip time gives that away
            // (draft-ietf-ccwg-bbr-06, 4.1.3.5).
            rate = rate.filter(|sample| sample.interval >= self.rtt.min_rtt());
        }
        if advanced {
            self.detect_spurious(now, header);
        }

        let in_recovery = self.loss.phase == Phase::Fast;
        let pipe_before = self.queue.pipe();
        let reaction = self.react(now, advanced, duplicate, &newly, class);
        let lost = pipe_before.saturating_sub(self.queue.pipe());
        if let Some(sample) = &mut rate {
            sample.lost += f64::from(lost);
        }
        let latest_lost = self.account_for_loss(lost).filter(|_| class.sampled);
        let ce_marked = if class.ecn && header.flags.has(Flags::ECE) {
            self.on_ece(now, delivered, newly.cumulative)
        } else {
            0
        };
        let sent_again =
            self.settings.rearm_at_fast_retransmit && matches!(reaction, Reaction::Episode { .. });
        if (advanced && reaction != Reaction::KeepTimer) || sent_again {
            self.restart_timer(now);
        }
        if class.recovery == Recovery::Rack {
            let repeats = !advanced && header.acknowledgment == self.queue.una() && sack.is_empty();
            self.follow_up(now, advanced || newly.selective > 0, repeats);
        }
        // The acknowledgment that ends recovery only brings the window down to its new size (RFC 5681, 3.2, step 6;
        // RFC 6582, 3.2, step 3). By then the round trip of the signal is over, unless packets took no time at all.
        let suspended = in_recovery
            || self.loss.phase == Phase::Fast
            || matches!(reaction, Reaction::Episode { .. })
            || self.sampler.round < self.growth_from_round;
        let window_limited = self.window_limited;
        self.inform_controller(
            now,
            &AckFacts {
                acks: 1,
                delivered,
                lost,
                ce_marked,
                rtt,
                latest_lost,
                rate,
                suspended,
                advanced,
                window_limited,
            },
        );
        if self.loss.phase == Phase::Fast
            && let Some(bound) = class.recovery.reduction_bound()
        {
            self.reduce_proportionally(delivered, reaction, bound);
        }
        self.note_finish(now);
    }

    /// Takes the cumulative and selective acknowledgments off the retransmission queue.
    #[expect(clippy::inline_always, reason = "what is not asked of it is not gathered")]
    #[inline(always)]
    fn cover(
        &mut self,
        acknowledgment: u64,
        sack: &SackBlocks,
        advanced: bool,
        newly: NewlyAcked,
    ) -> NewlyAcked {
        let mut newly = if advanced { self.cover_below(acknowledgment, newly) } else { newly };
        if !sack.is_empty() {
            let known = if acknowledgment == self.last_sack_at { &self.last_sack } else { &SackBlocks::NONE };
            for (start, end) in sack.news(acknowledgment, known) {
                match self.queue.select_next(start, end) {
                    Some(sent) => newly.take_selective(&sent, RateState::default()),
                    None => newly = self.queue.select_all(start, end, newly),
                }
            }
            (self.last_sack_at, self.last_sack) = (acknowledgment, *sack);
        }
        newly
    }

    #[inline(never)]
    fn cover_below(&mut self, acknowledgment: u64, mut newly: NewlyAcked) -> NewlyAcked {
        self.queue.acknowledge(acknowledgment, |sent, conditions| newly.take_cumulative(sent, conditions));
        newly
    }

    /// RFC 5681, section 2; with SACK, RFC 6675, section 2: whatever brings new selective information.
    #[inline]
    fn is_duplicate(&self, header: &Header, advanced: bool, newly: &NewlyAcked, class: SenderClass) -> bool {
        if class.recovery.uses_sack() {
            return newly.selective > 0;
        }
        !advanced
            && header.acknowledgment == self.queue.una()
            && !self.queue.is_empty()
            && !header.flags.has(Flags::FIN)
    }

    /// Segments this acknowledgment says were delivered. Without SACK a duplicate stands for one, which the
    /// cumulative acknowledgment that covers it later does not count again. The first unacknowledged segment is
    /// never among those, and after a restart duplicates come from what was sent again needlessly.
    #[inline]
    fn count_delivered(
        &mut self,
        newly: &NewlyAcked,
        advanced: bool,
        duplicate: bool,
        class: SenderClass,
    ) -> u32 {
        if class.recovery.uses_sack() {
            return newly.delivered;
        }
        if advanced {
            let known = self.dupack_credit.min(newly.cumulative.saturating_sub(1));
            self.dupack_credit = (self.dupack_credit - known).min(self.queue.outstanding());
            return newly.cumulative - known;
        }
        let credit = duplicate
            && self.loss.phase != Phase::Restart
            && self.dupack_credit + 1 < self.queue.outstanding();
        self.dupack_credit += u32::from(credit);
        u32::from(credit)
    }

    /// A round-trip time, if this acknowledgment measured one.
    #[expect(clippy::inline_always, reason = "one call per class of sender")]
    #[inline(always)]
    fn sample_rtt(
        &mut self,
        now: Time,
        header: &Header,
        advanced: bool,
        newly: &NewlyAcked,
    ) -> Option<Duration> {
        if !advanced {
            let unambiguous = newly.newest_clean.filter(|_| !newly.ambiguous);
            return Some(self.take_rtt(now.since(unambiguous?), newly.cumulative));
        }
        // The echo is of the transmission that arrived, so retransmissions are no ambiguity (RFC 7323, 4).
        if !self.settings.timestamps && newly.ambiguous {
            return None;
        }
        let latest = if self.settings.timestamps { now } else { newly.newest_clean? };
        Some(self.take_rtt(self.rtt_of(now, header, latest), newly.cumulative))
    }

    /// The round-trip time that an acknowledgment of new data measured. Where it covers several segments it is that of
    /// the latest, sent at `latest`, whose acknowledgment was delayed least; with timestamps it is that of the earliest
    /// (RFC 7323, 4.3).
    #[inline]
    pub(crate) fn rtt_of(&self, now: Time, header: &Header, latest: Time) -> Duration {
        if self.settings.timestamps {
            let elapsed = timestamp(now).wrapping_sub(header.timestamps.echo);
            Duration::from_micros(u64::from(elapsed))
        } else {
            now.since(latest)
        }
    }

    /// Takes the round-trip time measured by an acknowledgment that covers so many segments.
    #[inline]
    pub(crate) fn take_rtt(&mut self, rtt: Duration, covered: u32) -> Duration {
        // Appendix G of RFC 7323: a sample for every other segment in flight. Vegas' own estimate, which its
        // retransmissions depend on, takes every sample in full.
        let flight = self.queue.outstanding() + covered;
        let every = !self.steady && self.recovery == Recovery::Vegas;
        let per_round = if every { 1 } else { flight.div_ceil(2) };
        self.measure(rtt, per_round);
        self.rtt.latest()
    }

    /// Takes a round-trip time, one of about `per_round` in a round trip, into the estimator and the counts.
    #[inline]
    pub(crate) fn measure(&mut self, rtt: Duration, per_round: u32) {
        self.rtt.sample(rtt, per_round, &self.settings.rto);
        self.counters.rtt_samples += 1;
        self.counters.rtt_total += rtt;
        self.counters.rtt_max = self.counters.rtt_max.max(rtt);
    }

    /// Eifel (RFC 3522): if the first new acknowledgment after an episode's first retransmission echoes an earlier
    /// timestamp, the original had arrived. Not if it acknowledges all that is outstanding: that may have been an
    /// ACK lost (step 5).
    #[inline]
    fn detect_spurious(&mut self, now: Time, header: &Header) {
        let Eifel::Sent(retransmitted_at) = std::mem::take(&mut self.eifel) else { return };
        if is_not_before(header.timestamps.echo, retransmitted_at) || self.queue.is_empty() {
            return;
        }
        self.counters.spurious += 1;
        self.loss.undo(&mut self.queue);
        self.growth_from_round = 0;
        let decision = self.controller.on_event(&Event::Spurious);
        self.apply_decision(now, decision);
    }

    #[expect(clippy::inline_always, reason = "a recovery that is known is asked at once")]
    #[inline(always)]
    fn react(
        &mut self,
        now: Time,
        advanced: bool,
        duplicate: bool,
        newly: &NewlyAcked,
        class: SenderClass,
    ) -> Reaction {
        let nothing = self.nothing_seen(now, class.recovery);
        let mut seen = AckEvent { advanced, segments: newly.cumulative, duplicate, ..nothing };
        if class.recovery == Recovery::Rack {
            seen.newest = newly.newest_certain;
            seen.lowest_once = newly.lowest_once.unwrap_or(u64::MAX);
        }
        let reaction = class.recovery.on_ack(&seen, &mut self.loss, &mut self.queue);
        if let Reaction::Episode { restart } = reaction {
            self.begin_episode(now, restart);
        }
        reaction
    }

    /// What a timer tells a recovery: the time.
    #[inline]
    pub(crate) fn nothing_seen(&self, now: Time, recovery: Recovery) -> AckEvent {
        AckEvent {
            now,
            advanced: false,
            segments: 0,
            duplicate: false,
            next: self.next,
            threshold: self.settings.duplicate_threshold,
            fine_timeout: match recovery {
                Recovery::Vegas => self.rtt.fine_timeout(&self.settings.rto),
                _ => Duration::ZERO,
            },
            newest: None,
            lowest_once: u64::MAX,
            min_rtt: self.rtt.min_rtt(),
            srtt: self.rtt.srtt(),
        }
    }

    /// The latest time at which a segment newly delivered can have been sent again for it to be certain that it was not an
    /// earlier copy that arrived (RFC 8985, 6.2, step 2): a round trip ago, and not after what a timestamp echoes.
    fn certain_until(&self, now: Time, header: &Header) -> Time {
        let mut age = self.rtt.min_rtt().as_nanos();
        if self.settings.timestamps {
            // In whole microseconds of the clock: a segment of the same is not older.
            let echoed = timestamp(now).wrapping_sub(header.timestamps.echo);
            age = age.max((u64::from(echoed) * 1000 + now.as_nanos() % 1000).saturating_sub(999));
        }
        Time::from_nanos(now.as_nanos().saturating_sub(age))
    }

    /// RACK-TLP after an acknowledgment, which tells of something `new` or `repeats` the latest without any block: a probe
    /// may have repaired a loss, and the next one is due later.
    fn follow_up(&mut self, now: Time, new: bool, repeats: bool) {
        if self.loss.rack.repaired_by_probe(self.queue.una(), repeats) {
            self.begin_episode(now, false);
        }
        if new {
            self.schedule_probe(now);
        }
    }

    /// RFC 8985, 7.2: in calm weather a loss probe is due when nothing was heard for two round-trip times.
    pub(crate) fn schedule_probe(&mut self, now: Time) {
        let outstanding = self.queue.outstanding();
        let paced_out = self.cwnd < 1.0;
        if self.loss.phase != Phase::Open || self.queue.has_sacked() || outstanding == 0 || paced_out {
            self.loss.rack.cancel_probe();
            return;
        }
        // The budget for a delayed acknowledgment is what the receiver takes at the most.
        let delayed = outstanding == 1 && self.settings.ack_every > 1;
        let delay = delayed.then_some(self.settings.ack_delay);
        self.loss.rack.schedule_probe(now, self.rtt.srtt(), delay, self.rto_deadline);
    }

    /// RACK-TLP's timer: late segments are lost, or a probe is due. What the clock finds is told to the controller like
    /// what an acknowledgment of nothing would.
    pub(crate) fn on_rack_timer(&mut self, now: Time) {
        if self.loss.rack.take_probe_timer(self.counters.rtt_samples) {
            self.arm_rto(now);
            return;
        }
        let pipe_before = self.queue.pipe();
        let seen = self.nothing_seen(now, self.recovery);
        let reaction = self.recovery.on_reordering_timer(&seen, &mut self.loss, &mut self.queue);
        let lost = pipe_before.saturating_sub(self.queue.pipe());
        if reaction == Reaction::None && lost == 0 {
            return;
        }
        self.integrate_cwnd(now);
        if let Reaction::Episode { restart } = reaction {
            self.begin_episode(now, restart);
        }
        let latest_lost = self.account_for_loss(lost);
        self.inform_controller(now, &AckFacts { lost, latest_lost, suspended: true, ..AckFacts::default() });
        if self.loss.phase == Phase::Fast
            && let Some(bound) = self.recovery.reduction_bound()
        {
            self.reduce_proportionally(0, reaction, bound);
        }
    }

    /// Tells the controller of losses, at most once in a round trip: a second episode within one (a retransmission
    /// found lost by Vegas, or reordering) is about the same congestion.
    #[inline(never)]
    fn begin_episode(&mut self, now: Time, restart: bool) {
        let round = self.sampler.round;
        if round < self.signal_from_round || self.was_marked_already() {
            return;
        }
        self.signal_from_round = round + 1;
        self.queue.tighten();
        // A restart is slow start at once; otherwise the window rests for the round trip.
        self.growth_from_round = if restart { 0 } else { round + 1 };
        // If the first segment was sent again before the episode, its acknowledgment will not judge the episode.
        let begins_with_head = self.queue.head().is_some_and(Sent::is_lost);
        self.eifel = if begins_with_head { Eifel::Armed } else { Eifel::Off };
        self.counters.fast_retransmits += 1;
        self.congest(now, Signal::Loss, restart, false);
    }

    /// An acknowledgment says that congestion was experienced: packets were marked instead of dropped. The controller is
    /// told once for a window of data (RFC 3168, 6.1.2), and not while losses are repaired, which is the answer to the same
    /// congestion. Gives the number of packets marked, where acknowledgments say so.
    fn on_ece(&mut self, now: Time, delivered: u32, acknowledged: u32) -> u32 {
        if !self.ecn.agreed {
            return 0;
        }
        let round = self.sampler.round;
        let is_news = round >= self.signal_from_round && self.queue.una() > self.ecn.reduced_until;
        if is_news && self.loss.phase == Phase::Open {
            self.signal_from_round = round + 1;
            self.growth_from_round = round + 1;
            self.eifel = Eifel::Off;
            // What was in flight when the acknowledgment arrived.
            let flight = f64::from(self.queue.outstanding() + acknowledged);
            self.respond(&Congestion { now, signal: Signal::Ecn, flight, restart: false, repeated: false });
        }
        if self.settings.ecn == EcnMode::Accurate { delivered } else { 0 }
    }

    /// Whether a mark has reduced the window since the first unacknowledged packet was sent: a loss of that window is about
    /// the same congestion.
    fn was_marked_already(&self) -> bool {
        self.ecn.by_mark && self.queue.una() < self.ecn.reduced_until
    }

    /// Counts `lost` packets, just declared so; what is known of the latest of them.
    fn account_for_loss(&mut self, lost: u32) -> Option<LossSample> {
        self.sampler.lost = self.sampler.lost.wrapping_add(lost);
        self.queue.take_latest_lost().map(|sent| LossSample {
            tx_in_flight: f64::from(sent.in_flight()),
            lost: self.sampler.lost_since(&sent),
            app_limited: sent.is_app_limited(),
        })
    }

    /// RFC 6937: what this acknowledgment lets go, where the recovery asks for it. The controller has chosen the window
    /// to arrive at by now.
    fn reduce_proportionally(&mut self, delivered: u32, reaction: Reaction, bound: ReductionBound) {
        if matches!(reaction, Reaction::Episode { .. }) {
            self.loss.prr = Prr::begin(self.queue.outstanding());
        }
        self.loss.prr.on_ack(delivered, self.queue.pipe(), self.cwnd, bound);
    }

    /// RFC 6298, 5.2 and 5.3: off when all is acknowledged, else from now on.
    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time) {
        if self.queue.is_empty() {
            self.rto_deadline = Time::MAX;
        } else {
            self.arm_rto(now);
        }
    }

    #[expect(clippy::inline_always, reason = "what is known of it is mostly known where it is called")]
    #[inline(always)]
    pub(crate) fn inform_controller(&mut self, now: Time, learned: &AckFacts) {
        let AckFacts { delivered, lost, ce_marked, rtt, latest_lost, rate, .. } = *learned;
        let decision = self.controller.on_ack(&Ack {
            now,
            acks: learned.acks,
            delivered: f64::from(delivered),
            lost: f64::from(lost),
            ce_marked: f64::from(ce_marked),
            in_flight: f64::from(self.in_network()),
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            round: self.sampler.round,
            suspended: learned.suspended,
            advanced: learned.advanced,
            window_limited: learned.window_limited,
            recovering: !self.steady && self.loss.phase != Phase::Open,
            loss: latest_lost,
            rate,
        });
        self.apply_decision(now, decision);
    }
}
