//! Random early detection (RED): drops by the average queue length, before the buffer is full.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Bytes, Duration, Time};

use crate::queue::arriving::{ArrivalAqm, Arriving, Verdict};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::{Occupancy, RandomStream};

/// Random early detection (Floyd and Jacobson 1993), optionally gentle (Floyd 2000).
///
/// Between two thresholds of the average queue length, packets are dropped or marked with a probability p that rises to
/// `max_p`. Drops are spread evenly: the number of packets between two drops is uniform over 1 to 1/p. Above the upper
/// threshold every packet is dropped. In the gentle variant the probability rises from `max_p` to 1 between the upper
/// threshold and its double.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub struct Red {
    /// The lower threshold of the average, in packets.
    pub min: f64,
    /// The upper threshold, above which every packet is dropped, or, in the gentle variant, the probability rises steeply.
    pub max: f64,
    /// The probability at the upper threshold.
    pub max_p: f64,
    /// The weight of the present length in the average, `w_q`.
    pub weight: f64,
    /// The gentle variant.
    pub gentle: bool,
    /// Queue lengths are in bytes (`packet` bytes count as one packet of the thresholds), and large packets are dropped more
    /// often than small ones.
    pub in_bytes: bool,
    /// A packet's usual size in bytes, for the decay of the average on an idle link and as the unit of lengths in bytes.
    pub packet: u32,
    /// ECN-capable packets are marked instead of dropped, except above the threshold where every packet is dropped.
    pub marks: bool,
    /// Above that threshold every packet is dropped, ECN-capable or not; otherwise ECN-capable packets are marked there too.
    pub hard_drop: bool,
    /// No packet is dropped or marked before 1/p packets have arrived since the last one: ns-2's `wait_`. The number of
    /// packets between two drops is then uniform over 1/p to 2/p, so drops are a third as frequent.
    pub least_gap: bool,
    /// While fewer packets wait, no packet is dropped and the gap restarts, as it does while the average is below
    /// `min`. It is 2 in ns-2.
    pub least_queue: u32,
}

impl Discipline for Red {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "red",
        title: "drops or marks early, by the average queue length",
        source: "Floyd and Jacobson 1993; Floyd 2000 (gentle)",
        parameters: &[
            Parameter::new(
                "min",
                Unit::Packets,
                5.0,
                (0.0, 1e9),
                "the average length below which no packet is dropped",
            ),
            Parameter::new(
                "max",
                Unit::Packets,
                15.0,
                (0.0, 1e9),
                "the average length at which the probability is max_p",
            ),
            Parameter::new("max_p", Unit::Number, 0.1, (0.0, 1.0), "the probability at max"),
            Parameter::new(
                "weight",
                Unit::Number,
                0.002,
                (1e-9, 1.0),
                "the weight of the current length in the average (w_q)",
            ),
            Parameter::switch(
                "gentle",
                true,
                "1: from max to twice max the probability rises to 1; 0: it jumps to 1 at max",
            ),
            Parameter::switch(
                "bytes",
                false,
                "1: lengths are in bytes, and the probability is proportional to the packet's size",
            ),
            Parameter::new("packet", Unit::Bytes, 1000.0, (1.0, 65_535.0), "the usual size of a packet"),
            Parameter::switch(
                "ecn",
                true,
                "1: ECN-capable packets are marked, up to the length from which all are dropped",
            ),
            Parameter::switch(
                "hard_drop",
                true,
                "1: from the length on from which all are dropped, ECN-capable packets are dropped too; 0: they are marked (Linux without harddrop)",
            ),
            Parameter::switch(
                "least_gap",
                false,
                "1: at least 1/p packets from one drop to the next, and at most 2/p (ns-2's wait_); 0: from 1 to 1/p",
            ),
            Parameter::new(
                "least_queue",
                Unit::Count,
                0.0,
                (0.0, 1e9),
                "packets waiting below which none is dropped and the gap begins anew (ns-2: 2)",
            ),
        ],
        check: Some(|values| {
            let (min, max) = (values.get("min"), values.get("max"));
            if min <= max { Ok(()) } else { Err(format!("min is at most max, which is {max}; found {min}")) }
        }),
        ..Entry::PLAIN
    };

    const ON_ARRIVAL: bool = true;

    fn make(values: &Values) -> Red {
        Red {
            min: values.get("min"),
            max: values.get("max"),
            max_p: values.get("max_p"),
            weight: values.get("weight"),
            gentle: values.is_on("gentle"),
            in_bytes: values.is_on("bytes"),
            packet: values.get("packet") as u32,
            marks: values.is_on("ecn"),
            hard_drop: values.is_on("hard_drop"),
            least_gap: values.is_on("least_gap"),
            least_queue: values.get("least_queue") as u32,
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        let usual = site.rate.transmission_time(Bytes::new(u64::from(self.packet)));
        Built::on_arrival(RedState::new(*self, usual, site.random()))
    }
}

/// The state of one queue.
#[derive(Clone, Debug)]
pub(crate) struct RedState {
    rule: Red,
    /// The transmission time of a usual packet.
    usual: Duration,
    average: f64,
    /// Packets that passed since the last drop or mark, or since the average was below the lower threshold.
    passed: u32,
    random: RandomStream,
}

impl RedState {
    pub(crate) fn new(rule: Red, usual: Duration, random: RandomStream) -> RedState {
        RedState { rule, usual, average: 0.0, passed: 0, random }
    }

    /// Decides on a packet of this size by the present average.
    #[expect(clippy::inline_always, reason = "the average stays in a register between update and decision")]
    #[inline(always)]
    pub(super) fn decide(&mut self, size: u32, waiting: Occupancy) -> Verdict {
        let certain = if self.rule.gentle { 2.0 * self.rule.max } else { self.rule.max };
        if self.average < self.rule.min || waiting.packets < self.rule.least_queue {
            self.passed = 0;
            return Verdict::Pass;
        }
        if self.average >= certain {
            self.passed = 0;
            return if self.rule.marks && !self.rule.hard_drop { Verdict::MarkOrDrop } else { Verdict::Drop };
        }
        let spread = self.spread(self.probability(size));
        if (0.0..1.0).contains(&spread) && !self.random.bernoulli(spread) {
            self.passed += 1;
            return Verdict::Pass;
        }
        self.passed = 0;
        if self.rule.marks { Verdict::MarkOrDrop } else { Verdict::Drop }
    }

    /// Updates the average by a weighted sample. After idle time it updates it as if the link had served usual packets
    /// meanwhile.
    pub(super) fn update_average(&mut self, waiting: Occupancy, now: Time, free_at: Time) {
        let keep = 1.0 - self.rule.weight;
        if free_at <= now {
            // With a weight of one nothing remains, although 0^0 is 1.
            self.average *= if keep > 0.0 { libm::pow(keep, now.since(free_at) / self.usual) } else { 0.0 };
            return;
        }
        let length = if self.rule.in_bytes {
            waiting.bytes.get() as f64 / f64::from(self.rule.packet)
        } else {
            f64::from(waiting.packets)
        };
        self.average = keep * self.average + self.rule.weight * length;
    }

    /// The probability `p_a` that makes the gaps uniform, from `p_b`; negative or at least 1 if the gap certainly ends.
    fn spread(&self, p: f64) -> f64 {
        let passed = f64::from(self.passed);
        if !self.rule.least_gap {
            // With this the n-th packet is the one hit with the same probability for all n up to 1/p (section 7, method
            // 2). The listing of section 4 begins to count one packet early, so the 1/p-th packet is never reached.
            return p / (1.0 - passed * p);
        }
        // ns-2 counts the arriving packet too: the packet hit is the n-th for n from 1/p to 2/p - 1, each with the same
        // probability.
        let share = (passed + 1.0) * p;
        if share < 1.0 { 0.0 } else { p / (2.0 - share) }
    }

    /// The probability by the average for a packet of this size, `p_b`.
    fn probability(&self, size: u32) -> f64 {
        let Red { min, max, max_p, in_bytes, packet, .. } = self.rule;
        let p = if self.average < max {
            max_p * (self.average - min) / (max - min)
        } else {
            max_p + (1.0 - max_p) * (self.average - max) / max
        };
        if in_bytes { p * f64::from(size) / f64::from(packet) } else { p }
    }
}

impl ArrivalAqm for RedState {
    fn on_arrival(&mut self, arriving: &Arriving, waiting: Occupancy, free_at: Time) -> Verdict {
        self.update_average(waiting, arriving.now, free_at);
        self.decide(arriving.size, waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BufferSize;

    const USUAL: Duration = Duration::from_millis(1);

    fn state(rule: Red) -> RedState {
        RedState::new(rule, USUAL, RandomStream::new(1, "test"))
    }

    /// Offers packets each of which finds `waiting` packets of 1000 bytes. Returns the verdicts.
    fn offer(state: &mut RedState, waiting: u32, size: u32, count: u32) -> Vec<Verdict> {
        let waiting = Occupancy { packets: waiting, bytes: Bytes::new(1000 * u64::from(waiting)) };
        let arriving = Arriving { now: Time::ZERO, size, buffer: BufferSize::Unlimited };
        (0..count).map(|_| state.on_arrival(&arriving, waiting, Time::MAX)).collect()
    }

    fn hit_share(state: &mut RedState, waiting: u32, size: u32) -> f64 {
        // Until the average has reached the queue length.
        offer(state, waiting, size, 20_000);
        let hits =
            offer(state, waiting, size, 20_000).into_iter().filter(|verdict| *verdict != Verdict::Pass);
        hits.count() as f64 / 20_000.0
    }

    /// Section 6.1: after n packets of a burst that finds n-1 waiting, the average is L + 1 + ((1-w)^(L+1) - 1)/w (eq. 3,
    /// with the packets that the paper counts); with w = 0.002 a burst of 50 keeps it below 5 and one of 100 does not.
    #[test]
    fn the_average_of_a_burst_is_that_of_the_paper() {
        let average_after = |burst: u32| {
            let mut state = state(Red::default());
            for waiting in 1..=burst {
                offer(&mut state, waiting, 1000, 1);
            }
            state.average
        };
        let l = 50.0;
        let by_equation = l + 1.0 + (libm::pow(1.0 - 0.002, l + 1.0) - 1.0) / 0.002;
        assert!((average_after(50) - by_equation).abs() < 1e-9, "{} {by_equation}", average_after(50));
        assert!(average_after(50) < 5.0 && average_after(100) > 5.0);
    }

    #[test]
    fn an_idle_link_lets_the_average_fall_as_if_packets_had_passed() {
        let mut idle = state(Red::default());
        idle.average = 10.0;
        let arriving = Arriving { now: Time::ZERO + USUAL * 100, size: 1000, buffer: BufferSize::Unlimited };
        idle.on_arrival(&arriving, Occupancy::default(), Time::ZERO);
        let mut passing = state(Red::default());
        passing.average = 10.0;
        offer(&mut passing, 0, 1000, 100);
        assert!((idle.average - passing.average).abs() < 1e-9, "{} {}", idle.average, passing.average);
    }

    /// The share of packets hit follows from uniform gaps, whose mean is (1/p + 1) / 2.
    #[test]
    fn the_probability_is_a_ramp_and_gently_a_second_one() {
        let expected = |p: f64| 2.0 / (1.0 / p + 1.0);
        for (waiting, p) in [(4, 0.0), (5, 0.0), (10, 0.05), (15, 0.1), (20, 0.1 + 0.9 / 3.0), (30, 1.0)] {
            let share = hit_share(&mut state(Red::default()), waiting, 1000);
            let right = if p > 0.0 { expected(p) } else { 0.0 };
            assert!((share - right).abs() < 0.15 * right + 1e-4, "{waiting}: {share}, expected {right}");
        }
        let harsh = Red { gentle: false, ..Red::default() };
        assert!((hit_share(&mut state(harsh), 16, 1000) - 1.0).abs() < 1e-9);
    }

    /// Section 7, method 2: the gaps between hits are uniform over 1 to 1/p, so none is longer, and each is as frequent.
    #[test]
    fn hits_are_spread_evenly() {
        let mut state = state(Red::default());
        offer(&mut state, 10, 1000, 20_000);
        let mut gaps = [0_u32; 21];
        let mut gap = 0;
        for verdict in offer(&mut state, 10, 1000, 400_000) {
            gap += 1;
            if verdict != Verdict::Pass {
                gaps[gap] += 1;
                gap = 0;
            }
        }
        let hits: u32 = gaps.iter().sum();
        for (gap, count) in gaps.iter().enumerate().skip(1) {
            let share = f64::from(*count) / f64::from(hits);
            assert!((share - 0.05).abs() < 0.006, "a gap of {gap}: {share} of {hits}");
        }
    }

    /// By hand for p = 1/20: the first 19 packets after a drop pass for certain, each of the next 20 ends the gap with the
    /// same probability, and the 39th does so for certain.
    #[test]
    fn with_a_least_gap_hits_are_spread_evenly_over_as_many_packets_later() {
        let mut state = state(Red { least_gap: true, weight: 1.0, ..Red::default() });
        let mut gaps = [0_u32; 40];
        let mut gap = 0;
        for verdict in offer(&mut state, 10, 1000, 800_000) {
            gap += 1;
            if verdict != Verdict::Pass {
                gaps[gap] += 1;
                gap = 0;
            }
        }
        assert_eq!(gaps[..20].iter().sum::<u32>(), gaps[0], "a gap shorter than 1/p: {gaps:?}");
        let hits: u32 = gaps.iter().sum();
        for (gap, count) in gaps.iter().enumerate().skip(20) {
            let share = f64::from(*count) / f64::from(hits);
            assert!((share - 0.05).abs() < 0.006, "a gap of {gap}: {share} of {hits}");
        }
    }

    /// The rule of the paper spares nothing at an average above all thresholds, however short the queue is at present.
    #[test]
    fn a_short_queue_is_spared_where_it_is_wanted() {
        let last = |least_queue, waiting| {
            let mut state = state(Red { least_queue, ..Red::default() });
            state.average = 100.0;
            offer(&mut state, waiting, 1000, 1)[0]
        };
        assert_eq!([last(0, 1), last(2, 1), last(2, 2)], [Verdict::Drop, Verdict::Pass, Verdict::Drop]);
    }

    /// p = 0.7: the first packet passes and the second does not; one that finds a short queue begins a new gap in between.
    #[test]
    fn a_short_queue_begins_a_new_gap() {
        let rule = Red {
            min: 3.0,
            max: 13.0,
            max_p: 1.0,
            weight: 1e-9,
            least_gap: true,
            least_queue: 2,
            ..Red::default()
        };
        let mut state = state(rule);
        state.average = 10.0;
        let passes = [10, 1, 10, 10].map(|waiting| offer(&mut state, waiting, 1000, 1)[0] == Verdict::Pass);
        assert_eq!(passes, [true, true, true, false]);
    }

    /// p = 0.7: the first packet has n p = 0.7 < 1 and passes; the second has n p = 1.4 and the probability
    /// 0.7 / (2 - 1.4) > 1.
    #[test]
    fn with_a_least_gap_every_second_packet_is_hit_from_two_thirds_on() {
        let rule = Red { min: 3.0, max: 13.0, max_p: 1.0, weight: 1.0, least_gap: true, ..Red::default() };
        let verdicts = offer(&mut state(rule), 10, 1000, 6);
        let expected = [false, true, false, true, false, true];
        assert_eq!(verdicts.iter().map(|verdict| *verdict != Verdict::Pass).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn in_bytes_small_packets_are_spared() {
        let rule = Red { in_bytes: true, ..Red::default() };
        let share = |size| hit_share(&mut state(rule), 10, size);
        assert!((share(1000) - 2.0 / 21.0).abs() < 0.01, "{}", share(1000));
        assert!((share(100) - 2.0 / 201.0).abs() < 0.002, "{}", share(100));
    }

    #[test]
    fn above_all_thresholds_nothing_is_marked_in_place_of_being_dropped() {
        let mut state = state(Red::default());
        offer(&mut state, 100, 1000, 20_000);
        assert!(offer(&mut state, 100, 1000, 100).iter().all(|verdict| *verdict == Verdict::Drop));
    }

    /// DCTCP's marking (Alizadeh et al. 2010, 3.1 and 3.4): both thresholds of RED at K, by the present length. Every packet that
    /// finds at least K waiting is marked, however many there are, and none that finds fewer.
    #[test]
    fn a_step_marks_every_packet_from_its_threshold_on() {
        let step = Red { min: 20.0, max: 20.0, weight: 1.0, hard_drop: false, ..Red::default() };
        for gentle in [true, false] {
            let mut state = state(Red { gentle, max_p: 1.0, ..step });
            for (waiting, verdict) in [
                (0, Verdict::Pass),
                (19, Verdict::Pass),
                (20, Verdict::MarkOrDrop),
                (500, Verdict::MarkOrDrop),
            ] {
                assert!(
                    offer(&mut state, waiting, 1000, 100).iter().all(|found| *found == verdict),
                    "{waiting}"
                );
            }
        }
    }

    /// With a weight of one the average is the present length, also on a link that falls idle at that instant.
    #[test]
    fn a_link_that_falls_idle_at_this_instant_has_no_queue() {
        let mut state = state(Red { weight: 1.0, ..Red::default() });
        offer(&mut state, 100, 1000, 1);
        let now = Time::ZERO + USUAL;
        state.update_average(Occupancy::default(), now, now);
        assert!(state.average.abs() < 1e-12, "{}", state.average);
    }
}
