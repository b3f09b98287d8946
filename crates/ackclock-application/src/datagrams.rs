//! Datagrams at times that do not depend on the network.

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::{Bytes, Duration, Rate, Time};

use crate::{Action, Application, Needs};

/// The entry of [`Datagrams`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "datagrams",
    title: "sends messages of one size at a constant rate, or as a Poisson process",
    source: "common practice",
    table: "udp",
    keys: &[
        Key::required("rate", "\"1 Mbit/s\"", "the rate on the wire while sending"),
        Key::optional("packet", "\"1000 bytes\"", "the largest size of a packet on the wire"),
        Key::optional(
            "message",
            "\"1024 bytes\"",
            "the size of a message on the wire, sent at once in packets of at most packet bytes: 1024 in packets of 1000 are \
             1000 and 24, as in ns-2",
        ),
        Key::optional(
            "pattern",
            "\"poisson\"",
            "constant: evenly spaced; poisson: exponential gaps of the same mean",
        ),
        Key::optional(
            "on",
            "{ exponential = { mean = \"1 s\" } }",
            "the distribution of the length of talk spurts, between which it is silent",
        ),
        Key::optional(
            "off",
            "{ exponential = { mean = \"1.35 s\" } }",
            "the distribution of the length of the silences between them",
        ),
        Key::optional(
            "ecn",
            "\"ect0\"",
            "the ECN codepoint of its packets, which queues then mark instead of drop",
        ),
        Key::optional("call", "true", "whether delays and losses are recorded for the table of calls"),
    ],
    ..Entry::PLAIN
};

/// The gaps between datagrams.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Spacing {
    /// Equal gaps of `nanos` nanoseconds plus the fraction `remainder / divisor` of one. Fractions add up, so that
    /// the rate is exact whatever the gap; `carried` is their sum so far, below `divisor`.
    #[expect(missing_docs, reason = "said above")]
    Constant { nanos: u64, remainder: u64, divisor: u64, carried: u64 },
    /// Exponentially distributed, drawn from a stream.
    #[expect(missing_docs, reason = "named after what they are")]
    Poisson { mean_gap: Duration, random: RandomStream },
}

impl Spacing {
    /// The spacing of datagrams of `size` at a rate above zero. The first gap of several is rounded to the nearest
    /// nanosecond.
    pub fn constant(rate: Rate, size: Bytes) -> Spacing {
        let (bits, divisor) = (u128::from(size.get()) * 8_000_000_000, rate.bits_per_second().max(1));
        let (nanos, remainder) = (bits / u128::from(divisor), bits % u128::from(divisor));
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
        Spacing::Constant { nanos, remainder: remainder as u64, divisor, carried: divisor / 2 }
    }

    pub(crate) fn next(&mut self) -> Duration {
        match self {
            Spacing::Constant { nanos, remainder, divisor, carried } => {
                let sum = u128::from(*carried) + u128::from(*remainder);
                let whole = u64::from(sum >= u128::from(*divisor));
                *carried = (sum - u128::from(whole * *divisor)) as u64;
                Duration::from_nanos(nanos.saturating_add(whole))
            }
            Spacing::Poisson { mean_gap, random } => {
                Duration::from_secs_f64(random.exponential(mean_gap.as_secs_f64()))
            }
        }
    }
}

/// Talk spurts and the silences between them.
#[derive(Clone, Debug)]
pub struct Spurts {
    /// The length of a spurt and of a silence, in seconds.
    on: Distribution,
    off: Distribution,
    random: RandomStream,
    /// The end of the present spurt.
    until: Time,
}

impl Spurts {
    /// Spurts; the first begins at `start`.
    pub fn new(on: Distribution, off: Distribution, random: RandomStream, start: Time) -> Spurts {
        let mut spurts = Spurts { on, off, random, until: start };
        spurts.begin(start);
        spurts
    }

    fn begin(&mut self, start: Time) {
        self.until = start + self.on.draw_duration(&mut self.random).max(Duration::from_nanos(1));
    }

    /// The end of the present spurt.
    pub(crate) fn until(&self) -> Time {
        self.until
    }

    /// The departure of a datagram due at `due`: then, or at the beginning of the next spurt. That waits for the datagram: the
    /// rate of a source is never above its own, however short its spurts and silences are.
    pub(crate) fn departure(&mut self, due: Time) -> Time {
        if due < self.until {
            return due;
        }
        let start = due.max(self.until + self.off.draw_duration(&mut self.random));
        self.begin(start);
        start
    }
}

/// A source of datagrams.
#[derive(Clone, Debug)]
pub struct Datagrams {
    next: Time,
    stop: Time,
    spacing: Spacing,
    spurts: Option<Spurts>,
}

impl Datagrams {
    /// A source whose first datagram leaves at `start`. None leaves at `stop` or later.
    pub fn new(start: Time, stop: Time, spacing: Spacing) -> Datagrams {
        Datagrams { next: start, stop, spacing, spurts: None }
    }

    /// A source that sends in talk spurts.
    #[must_use]
    pub fn in_spurts(self, spurts: Spurts) -> Datagrams {
        Datagrams { spurts: Some(spurts), ..self }
    }

    /// Changes the gaps after the next datagram, whose timer is set already.
    pub(crate) fn space(&mut self, spacing: Spacing) {
        self.spacing = spacing;
    }

    fn wait(&self, actions: &mut Vec<Action>) {
        if self.next < self.stop {
            actions.push(Action::Timer(self.next));
        }
    }
}

impl Application for Datagrams {
    fn needs(&self) -> Needs {
        Needs::Events
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        self.wait(actions);
    }

    fn on_timer(&mut self, _: Time, actions: &mut Vec<Action>) {
        self.next += self.spacing.next();
        if let Some(spurts) = &mut self.spurts {
            self.next = spurts.departure(self.next);
        }
        actions.push(Action::Send { socket: 0 });
        self.wait(actions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eight_ms() -> Spacing {
        Spacing::constant(Rate::from_bits_per_second(1_000_000), Bytes::new(1000))
    }

    /// Three datagrams in a nanosecond, and 3 in 2 ns: neither rounds to the rate of another.
    #[test]
    fn the_rate_is_exact_where_the_gap_is_no_whole_number_of_nanoseconds() {
        for (bits_per_second, in_a_microsecond) in
            [(24_000_000_000_u64, 3000), (12_000_000_000, 1500), (7_000_000_000, 875)]
        {
            let mut spacing = Spacing::constant(Rate::from_bits_per_second(bits_per_second), Bytes::new(1));
            let total: u64 = (0..in_a_microsecond).map(|_| spacing.next().as_nanos()).sum();
            assert_eq!(total, 1000, "{bits_per_second} bit/s in datagrams of a byte");
        }
    }

    /// Every 8 ms in spurts of 10 ms, with silences of 20 ms: two datagrams each 30 ms.
    #[test]
    fn a_source_in_spurts_is_silent_between_them() {
        let millis = |millis: f64| Distribution::Constant(millis / 1e3);
        let random = RandomStream::new(1, "spurts");
        let spurts = Spurts::new(millis(10.0), millis(20.0), random, Time::ZERO);
        let mut source =
            Datagrams::new(Time::ZERO, Time::from_nanos(70_000_000), eight_ms()).in_spurts(spurts);
        let (mut actions, mut times) = (Vec::new(), Vec::new());
        source.start(&mut actions);
        while let Some(Action::Timer(now)) = actions.pop() {
            actions.clear();
            source.on_timer(now, &mut actions);
            times.push(now.as_nanos() / 1_000_000);
        }
        assert_eq!(times, [0, 8, 30, 38, 60, 68]);
    }

    /// 3 ms and 2 ms, at 8 ms a datagram; spurts and silences of a nanosecond: none leaves before the gap of its rate.
    #[test]
    fn short_spurts_do_not_send_above_the_rate() {
        for (on, off) in [(3e-3, 2e-3), (1e-9, 1e-9), (0.0, 0.0), (10e-3, 1e-3)] {
            let random = RandomStream::new(1, "spurts");
            let constant = Distribution::Constant;
            let spurts = Spurts::new(constant(on), constant(off), random, Time::ZERO);
            let mut source = Datagrams::new(Time::ZERO, Time::MAX, eight_ms()).in_spurts(spurts);
            let (mut actions, mut last) = (Vec::new(), Time::ZERO);
            source.on_timer(Time::ZERO, &mut actions);
            for _ in 0..100 {
                let Some(Action::Timer(now)) = actions.pop() else { panic!("it goes on") };
                assert!(
                    now.since(last).as_nanos() >= 8_000_000,
                    "{on} s and {off} s: {now:?} after {last:?}"
                );
                last = now;
                actions.clear();
                source.on_timer(now, &mut actions);
            }
        }
    }

    #[test]
    fn a_constant_source_sends_from_start_to_before_stop() {
        let (start, stop) = (Time::from_nanos(5), Time::from_nanos(16_000_005));
        let mut source = Datagrams::new(start, stop, eight_ms());
        let (mut actions, mut times) = (Vec::new(), Vec::new());
        source.start(&mut actions);
        while let Some(Action::Timer(now)) = actions.pop() {
            actions.clear();
            source.on_timer(now, &mut actions);
            assert_eq!(actions[0], Action::Send { socket: 0 });
            times.push(now.as_nanos());
        }
        assert_eq!(times, [5, 8_000_005], "8 ms apart, and none at the stop itself");
    }
}
