//! The processing of an acknowledgment, in the order that the controller's contract asks for: the scoreboard, the facts,
//! the recovery, congestion, and exactly one `on_ack`.

use ackclock_congestion::{Ack, Congestion, Decision, LossSample, RateSample, Signal};
use ackclock_units::{Duration, PacketRate, Time};

use crate::wire::{Flags, Header, SackBlocks};

use super::super::mechanism::retransmission_queue::Sent;
use super::super::recovery::{AckEvent, ProbeAnswer, ProbeConditions, Reaction, Recovery, WindowEvent};
use super::super::settings::{BackoffUntil, EcnMode};
use super::super::timestamp;
use super::Sender;
use super::newly_acked::NewlyAcked;
use crate::facts::RateState;

/// The class of a sender, by the work that its acknowledgments take. Nearly all are of three classes, for which the code is
/// compiled by itself: questions whose answers are known then are not asked.
#[derive(Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each decides on work by itself")]
struct SenderClass {
    recovery: Recovery,
    /// The controller learns from samples.
    sampled: bool,
    /// Marks are echoed.
    ecn: bool,
    /// `Settings::refines_acks`.
    refined: bool,
    /// Feedback of routers came with the acknowledgment.
    explicit: bool,
}

/// RFC 6675's recovery, and a controller that needs losses and round-trip times alone.
const USUAL: SenderClass =
    SenderClass { recovery: Recovery::Sack, sampled: false, ecn: false, refined: false, explicit: false };

/// The same class with a recovery that detects losses by time.
const BY_TIME: SenderClass = SenderClass { recovery: Recovery::BY_TIME, ..USUAL };

/// The class of those among them whose controller learns from samples, as BBR does.
const SAMPLED: SenderClass = SenderClass { sampled: true, ..BY_TIME };

/// kMinimumWindow, in packets (RFC 9002, 7.2).
const MINIMUM_WINDOW: f64 = 2.0;

impl SenderClass {
    /// The class of senders that detect losses by time, with settings like these.
    #[expect(clippy::inline_always, reason = "as for `is_compiled`")]
    #[inline(always)]
    fn by_time(self) -> SenderClass {
        SenderClass { refined: self.refined, ..BY_TIME }
    }

    /// The class of senders that take samples besides.
    #[expect(clippy::inline_always, reason = "as for `is_compiled`")]
    #[inline(always)]
    fn sampled_by_time(self) -> SenderClass {
        SenderClass { refined: self.refined, ..SAMPLED }
    }

    /// True if the code is compiled for this class by itself.
    #[expect(clippy::inline_always, reason = "the answer is known where it is asked")]
    #[inline(always)]
    fn is_compiled(self) -> bool {
        self == USUAL || self == self.by_time() || self == self.sampled_by_time()
    }
}

/// The facts of an acknowledgment, for the controller.
#[derive(Default)]
pub(super) struct AckFacts {
    /// [`Ack::acks`].
    pub acks: u32,
    /// [`Ack::in_flight`], [`Ack::delivered`].
    pub in_flight: f64,
    pub delivered: f64,
    pub lost: u32,
    pub ce_marked: u32,
    pub rtt: Option<Duration>,
    pub latest_lost: Option<LossSample>,
    pub rate: Option<RateSample>,
    pub feedback: Option<PacketRate>,
    /// [`Ack::suspended`], [`Ack::advanced`], [`Ack::window_limited`].
    pub suspended: bool,
    pub advanced: bool,
    pub window_limited: bool,
}

impl Sender {
    /// Takes an acknowledgment in the established state.
    #[inline]
    pub(super) fn on_acknowledgment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        let class = SenderClass {
            recovery: self.recovery.recovery(),
            sampled: !self.window_only,
            ecn: self.ecn.is_agreed(),
            refined: self.refines_acks,
            explicit: self.has_feedback(),
        };
        if class == USUAL {
            self.take_acknowledgment(now, header, sack, USUAL);
        } else if class == class.by_time() {
            self.take_acknowledgment(now, header, sack, class.by_time());
        } else if class == class.sampled_by_time() {
            self.take_acknowledgment(now, header, sack, class.sampled_by_time());
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
        // RFC 5681, section 2: an acknowledgment that changes the window is no duplicate.
        let same_window = header.window == self.peer_window;
        if !same_window {
            self.take_window(header);
        }
        let duplicated = if class.refined { self.take_duplicate_report(header, sack) } else { None };
        let others;
        let sack = if duplicated.is_some() {
            others = sack.without_first();
            &others
        } else {
            sack
        };
        let is_blind = duplicated.is_some_and(|(start, _)| start == self.queue.una())
            && sack.is_empty()
            && !self.queue.has_sacked();
        if header.acknowledgment >= self.queue.una() {
            self.echo = header.timestamps.value;
        }
        // The scoreboard.
        let advanced = header.acknowledgment > self.queue.una();
        let needs = if class.is_compiled() { class.recovery.needs() } else { self.recovery.needs() };
        let certain_until = if needs.send_times { self.certain_until(now, header) } else { Time::ZERO };
        let bytes = header.acknowledgment.saturating_sub(self.queue.una());
        let newly = self.update_scoreboard(header, sack, advanced, certain_until);
        let duplicate = self.is_duplicate(header, advanced || !same_window, &newly, needs.sack);
        let delivered = self.count_delivered(&newly, advanced, duplicate, needs.sack);
        let framed = class.refined && self.settings.smart_framing;
        let covered = if framed { self.packets(bytes) } else { f64::from(newly.cumulative) };
        let sampled = class.sampled && !framed;
        // The facts.
        let rtt = self.sample_rtt(now, header, advanced, &newly);
        let mut rate = self.sample_rate(now, delivered, &newly, sampled);
        if advanced {
            self.detect_spurious(now, header);
        }
        if class.refined && self.is_judging_timeout() {
            let repeats = !advanced && same_window && header.acknowledgment == self.queue.una();
            self.judge_timeout(now, advanced, repeats, &newly, needs.sack);
        }
        if let Some(duplicate) = duplicated {
            self.judge_episode(now, duplicate, is_blind);
        }
        // The recovery.
        let was_fast = self.recovery.is_fast();
        let pipe_before = self.queue.pipe();
        let reaction = self.recover(now, advanced, duplicate, duplicated, &newly, class);
        let lost = pipe_before.saturating_sub(self.queue.pipe());
        if let Some(sample) = &mut rate {
            sample.lost += f64::from(lost);
        }
        let latest_lost = self.account_for_loss(lost).filter(|_| sampled);
        // Congestion.
        let ce_marked = if class.ecn { self.take_echo(now, header, delivered, covered) } else { 0 };
        self.rearm_rto(now, advanced, reaction);
        if needs.send_times {
            let is_bare = sack.is_empty() && duplicated.is_none();
            let repeats = !advanced && same_window && header.acknowledgment == self.queue.una() && is_bare;
            let answer = ProbeAnswer { una: self.queue.una(), repeats, duplicated };
            self.update_probe(now, advanced || newly.selective > 0, &answer, class.recovery);
        }
        // The acknowledgment that ends recovery only brings the window down to its new size (RFC 5681, 3.2, step 6;
        // RFC 6582, 3.2, step 3). By then the round trip of the signal is over, unless packets took no time at all.
        let suspended = was_fast
            || self.recovery.is_fast()
            || matches!(reaction, Reaction::Episode { .. } | Reaction::PersistentCongestion)
            || self.suspension.applies(self.sampler.round());
        let window_limited = self.window_limited;
        let feedback = if class.explicit { self.take_feedback() } else { None };
        let decision = self.inform_controller(
            now,
            &AckFacts {
                acks: 1,
                in_flight: if framed { self.packets_in_network() } else { f64::from(self.in_network()) },
                delivered: if framed {
                    self.counted_of(covered)
                } else if class.refined {
                    self.counted(delivered, advanced)
                } else {
                    f64::from(delivered)
                },
                lost,
                ce_marked,
                rtt,
                latest_lost,
                rate,
                feedback,
                suspended,
                advanced,
                window_limited,
            },
        );
        self.apply_decision(now, &decision);
        if needs.sees_sent {
            self.apply_window(delivered, reaction);
        }
        self.note_finish(now);
    }

    /// Takes the cumulative and selective acknowledgments off the retransmission queue.
    #[expect(clippy::inline_always, reason = "what is not asked of the summary is not gathered")]
    #[inline(always)]
    fn update_scoreboard(
        &mut self,
        header: &Header,
        sack: &SackBlocks,
        advanced: bool,
        certain_until: Time,
    ) -> NewlyAcked {
        let acknowledgment = header.acknowledgment;
        let mut newly = if advanced {
            self.queue.acknowledge_all(acknowledgment, certain_until)
        } else {
            NewlyAcked::new(certain_until)
        };
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

    /// RFC 5681, section 2; with SACK, RFC 6675, section 2: any acknowledgment with new selective information.
    #[inline]
    fn is_duplicate(&self, header: &Header, has_news: bool, newly: &NewlyAcked, sack: bool) -> bool {
        if sack {
            return newly.selective > 0;
        }
        !has_news
            && header.acknowledgment == self.queue.una()
            && !self.queue.is_empty()
            && !header.flags.has(Flags::FIN)
    }

    /// Segments delivered by the evidence of this acknowledgment. Without SACK a duplicate stands for one, which the
    /// cumulative acknowledgment that covers it later does not count again. The first unacknowledged segment is
    /// never among those, and after a restart duplicates come from what was sent again needlessly.
    #[inline]
    fn count_delivered(&mut self, newly: &NewlyAcked, advanced: bool, duplicate: bool, sack: bool) -> u32 {
        if sack {
            return newly.delivered;
        }
        if advanced {
            let known = self.dupack_credit.min(newly.cumulative.saturating_sub(1));
            self.dupack_credit = (self.dupack_credit - known).min(self.queue.outstanding());
            return newly.cumulative - known;
        }
        let credit =
            duplicate && !self.recovery.is_restart() && self.dupack_credit + 1 < self.queue.outstanding();
        self.dupack_credit += u32::from(credit);
        u32::from(credit)
    }

    /// The packets that an acknowledgment counts for the growth of the window.
    #[inline]
    fn counted(&self, delivered: u32, advanced: bool) -> f64 {
        f64::from(if self.settings.count_acknowledgments { u32::from(advanced) } else { delivered })
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
            return Some(self.take_rtt_among(now.since(unambiguous?), newly.cumulative, false));
        }
        // The echo is of the transmission that arrived, so retransmissions are no ambiguity (RFC 7323, 4).
        if !self.settings.timestamps && newly.ambiguous {
            return None;
        }
        let latest = if self.settings.timestamps { now } else { newly.newest_clean? };
        Some(self.take_rtt_among(self.rtt_of(now, header, latest), newly.cumulative, true))
    }

    /// The round-trip time that an acknowledgment of new data measured. Where it covers several segments it is that of
    /// the latest, sent at `latest`, whose acknowledgment was delayed least; with timestamps it is that of the earliest
    /// (RFC 7323, 4.3).
    #[inline]
    pub(super) fn rtt_of(&self, now: Time, header: &Header, latest: Time) -> Duration {
        if self.settings.timestamps {
            let elapsed = timestamp(now).wrapping_sub(header.timestamps.echo);
            Duration::from_micros(u64::from(elapsed))
        } else {
            now.since(latest)
        }
    }

    /// Takes the round-trip time measured by an acknowledgment that covers so many segments, and may advance SND.UNA, into the
    /// estimator and the counts; it may end the back-off.
    #[inline]
    pub(super) fn take_rtt_among(&mut self, rtt: Duration, covered: u32, advanced: bool) -> Duration {
        // Appendix G of RFC 7323: a sample for every other segment in flight.
        let flight = self.queue.outstanding() + covered;
        let in_full = !self.prediction.applies() && self.recovery.needs().full_rtt_gain;
        let per_round = if in_full { 1 } else { flight.div_ceil(2) };
        self.rtt.sample(rtt, per_round, &self.settings.rto);
        if advanced || self.settings.rto.backoff_until == BackoffUntil::AnySample {
            self.rtt.end_back_off();
        }
        let rtt = self.rtt.latest();
        self.counters.rtt_samples += 1;
        self.counters.rtt_total += rtt;
        self.counters.rtt_max = self.counters.rtt_max.max(rtt);
        rtt
    }

    /// A sample of the delivery rate, where the controller learns from samples.
    #[inline]
    fn sample_rate(
        &mut self,
        now: Time,
        delivered: u32,
        newly: &NewlyAcked,
        sampled: bool,
    ) -> Option<RateSample> {
        let rate = self.sampler.update(now, delivered, newly.newest.as_ref(), sampled);
        if newly.newest_again {
            // It may have been its first copy that arrived: a flight in less than a round-trip time gives that away
            // (draft-ietf-ccwg-bbr-06, 4.1.3.5).
            return rate.filter(|sample| sample.interval >= self.rtt.min_rtt());
        }
        rate
    }

    /// The recovery declares segments lost; an episode may begin.
    #[expect(clippy::inline_always, reason = "a recovery that is known is called at once")]
    #[inline(always)]
    fn recover(
        &mut self,
        now: Time,
        advanced: bool,
        duplicate: bool,
        duplicated: Option<(u64, u64)>,
        newly: &NewlyAcked,
        class: SenderClass,
    ) -> Reaction {
        let timer = AckEvent::timer(now, self.next, self.counters.rtt_samples, &self.rtt, &self.settings);
        let mut ack = AckEvent { advanced, segments: newly.cumulative, duplicate, ..timer };
        if class.recovery.needs().send_times {
            ack.path_min_rtt = self.path_min_rtt();
            ack.newest = newly.newest_certain;
            ack.lowest_once = newly.lowest_once;
            ack.has_duplicate = duplicated.is_some();
        } else if class.refined {
            ack.duplicate_threshold = self.lower_threshold(newly.newest_clean);
        }
        let reaction = self.recovery.on_ack(class.recovery, &ack, &mut self.queue);
        if class.refined {
            self.suspect_in_session();
        }
        self.react(now, reaction);
        reaction
    }

    /// An episode begins if the recovery says so.
    #[inline]
    pub(super) fn react(&mut self, now: Time, reaction: Reaction) {
        match reaction {
            Reaction::Episode { restart } => self.begin_episode(now, restart),
            Reaction::PersistentCongestion => self.collapse(now),
            Reaction::None | Reaction::KeepTimer => {}
        }
    }

    /// RFC 9002, 7.6.2 and B.8: persistent congestion leaves the minimum window, and slow start.
    #[cold]
    fn collapse(&mut self, now: Time) {
        self.begin_episode(now, false);
        self.counters.note_timeout(0);
        self.suspension.end();
        self.limit_window(now, MINIMUM_WINDOW);
    }

    /// The smallest round-trip time of the path: of segments with data, and of the SYN where only one was sent. Segments that
    /// all waited in a queue are no measure of how soon a retransmission can be acknowledged.
    pub(super) fn path_min_rtt(&self) -> Duration {
        let least = self.rtt.min_rtt();
        match self.handshake.measured(self.counters.syns) {
            Some(rtt) if least.is_zero() => rtt,
            Some(rtt) => least.min(rtt),
            None => least,
        }
    }

    /// The latest time at which a segment newly delivered can have been sent again for it to be certain that it was not an
    /// earlier copy that arrived (RFC 8985, 6.2, step 2): a round trip ago, and not after the timestamp echoed.
    fn certain_until(&self, now: Time, header: &Header) -> Time {
        let mut age = self.path_min_rtt().as_nanos();
        if self.settings.timestamps {
            // In whole microseconds of the clock: a segment of the same is not older.
            let echoed = timestamp(now).wrapping_sub(header.timestamps.echo);
            age = age.max((u64::from(echoed) * 1000 + now.as_nanos() % 1000).saturating_sub(999));
        }
        Time::from_nanos(now.as_nanos().saturating_sub(age))
    }

    /// Loss probes after an acknowledgment, which may be `new`: a probe may have repaired a loss, and the next one is due
    /// later.
    #[inline]
    fn update_probe(&mut self, now: Time, new: bool, answer: &ProbeAnswer, recovery: Recovery) {
        if self.recovery.is_repaired_by_probe(recovery, answer) {
            self.begin_episode(now, false);
        }
        if new {
            self.schedule_probe(now);
        }
    }

    /// The time of the next loss probe, counted from now.
    #[inline]
    pub(super) fn schedule_probe(&mut self, now: Time) {
        if self.recovery.needs().probe_timeouts {
            self.schedule_timeout(now);
            return;
        }
        let conditions = ProbeConditions {
            now,
            cwnd: self.cwnd,
            rto_deadline: self.timers.retransmission(),
            rtt: &self.rtt,
            settings: &self.settings,
        };
        self.recovery.schedule_probe(&conditions, &self.queue);
    }

    /// The time of the next timeout of a recovery that has its own: the retransmission timer is off.
    #[cold]
    #[inline(never)]
    fn schedule_timeout(&mut self, now: Time) {
        let timer = AckEvent::timer(now, self.next, self.counters.rtt_samples, &self.rtt, &self.settings);
        self.recovery.schedule_timeout(&timer, &self.queue);
        self.timers.stop_retransmission();
    }

    /// The segment that ends there is sent now, where its time counts: the next probe is due later.
    #[inline]
    pub(super) fn note_time_of_sending(&mut self, now: Time, end: u64) {
        if self.recovery.needs().probe_timeouts {
            self.recovery.on_transmission((now, end), !self.rtt.srtt().is_zero());
        }
        self.schedule_probe(now);
    }

    /// Signals losses to the controller, at most once in a round trip: a second episode within one (a retransmission
    /// found lost by a fine-grained timeout, or reordering) is about the same congestion.
    #[inline(never)]
    pub(super) fn begin_episode(&mut self, now: Time, restart: bool) {
        let round = self.sampler.round();
        if !self.signals.admits(round) || self.ecn.has_reduced_since(self.queue.una()) {
            return;
        }
        self.signals.begin(round);
        let falls_back = self.falls_back(now);
        if falls_back {
            self.recovery.restart(self.next, &mut self.queue);
        }
        self.suspension.begin(round, restart || falls_back);
        self.queue.tighten();
        // If the first segment was sent again before the episode, its acknowledgment will not judge the episode.
        if self.queue.head().is_some_and(Sent::is_lost) {
            self.eifel.arm();
        } else {
            self.eifel.disarm();
        }
        self.arm_reports(true);
        self.counters.fast_retransmits += 1;
        if !falls_back {
            self.congest(now, Signal::Loss, restart, false);
        }
    }

    /// Takes the echo of marks in an acknowledgment of so many segments, and so many packets cumulatively: the
    /// number of packets marked, where acknowledgments tell.
    fn take_echo(&mut self, now: Time, header: &Header, delivered: u32, acknowledged: f64) -> u32 {
        if !self.ecn.is_accurate() {
            let echoed = header.flags.has(Flags::ECE);
            return if echoed { self.on_ece(now, delivered, acknowledged) } else { 0 };
        }
        let bytes = self.cold.as_mut().map(|cold| &mut cold.bytes);
        let marked = self.ecn.take_ace(header.ace(), delivered, bytes).min(delivered);
        if marked > 0 {
            self.on_ece(now, delivered, acknowledged);
        }
        marked
    }

    /// An acknowledgment echoes congestion: packets were marked instead of dropped. The controller gets one signal for a
    /// window of data (RFC 3168, 6.1.2), and none while losses are repaired, which is the response to the same
    /// congestion. Gives the number of packets marked, where acknowledgments say which.
    fn on_ece(&mut self, now: Time, delivered: u32, acknowledged: f64) -> u32 {
        let round = self.sampler.round();
        let is_new = self.signals.admits(round) && self.ecn.is_new_signal(self.queue.una());
        if is_new && self.recovery.is_open() {
            self.signals.begin(round);
            self.suspension.begin(round, false);
            self.eifel.disarm();
            self.arm_reports(false);
            // The flight when the acknowledgment arrived.
            let flight = self.flight() + acknowledged;
            self.respond(&Congestion { now, signal: Signal::Ecn, flight, restart: false, repeated: false });
        }
        if self.settings.ecn == EcnMode::DataCentre { delivered } else { 0 }
    }

    /// Counts `lost` packets, just declared so; gives the facts of the latest of them.
    pub(super) fn account_for_loss(&mut self, lost: u32) -> Option<LossSample> {
        self.sampler.on_lost(lost);
        self.queue.take_latest_lost().map(|sent| self.sampler.loss_sample(&sent))
    }

    /// The controller has chosen the window: a recovery that limits the sending itself lets segments go towards it.
    pub(super) fn apply_window(&mut self, delivered: u32, reaction: Reaction) {
        let begins = matches!(reaction, Reaction::Episode { .. });
        self.recovery.on_window(&WindowEvent { delivered, begins, cwnd: self.cwnd }, &self.queue);
    }

    /// RFC 6298, 5.2 and 5.3, after new data was acknowledged; a fast retransmit may start the timer anew too.
    #[inline]
    fn rearm_rto(&mut self, now: Time, advanced: bool, reaction: Reaction) {
        let begins = matches!(reaction, Reaction::Episode { .. });
        let sent_again = self.settings.rearm_at_fast_retransmit && begins;
        if (advanced && reaction != Reaction::KeepTimer) || sent_again {
            self.restart_rto(now);
        }
    }

    /// RFC 6298, 5.2 and 5.3: off when all is acknowledged, else from now on.
    #[inline]
    pub(super) fn restart_rto(&mut self, now: Time) {
        if self.queue.is_empty() {
            self.timers.stop_retransmission();
        } else {
            self.arm_rto(now);
        }
    }

    /// The controller's answer to an acknowledgment.
    #[expect(clippy::inline_always, reason = "most facts are constants where it is called")]
    #[inline(always)]
    pub(super) fn inform_controller(&mut self, now: Time, facts: &AckFacts) -> Decision {
        let AckFacts { in_flight, delivered, lost, ce_marked, rtt, latest_lost, rate, .. } = *facts;
        self.controller.on_ack(&Ack {
            now,
            acks: facts.acks,
            delivered,
            lost: f64::from(lost),
            ce_marked: f64::from(ce_marked),
            in_flight,
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            round: self.sampler.round(),
            suspended: facts.suspended,
            advanced: facts.advanced,
            window_limited: facts.window_limited,
            recovering: !self.prediction.applies() && !self.recovery.is_open(),
            loss: latest_lost,
            rate,
            feedback: facts.feedback,
        })
    }
}
