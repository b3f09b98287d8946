//! Data at a given rate, or as fast as the transport takes it, always or in spans.

use std::sync::Arc;

use ackclock_catalogue::{Entry, Key};
use ackclock_units::{Duration, Time};

use crate::{Action, Application, Needs, Spacing, Spurts};

/// The entry of [`OnOff`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "on-off",
    title: "writes at a given rate, or as much as the transport takes, always or in spans, over one connection",
    source: "common practice: iperf3 --bitrate; ns-3's OnOffApplication",
    table: "flow",
    keys: &[
        Key::required(
            "write_rate",
            "\"500 kbit/s\"",
            "the rate of payload at which it writes, in full packets, or unlimited; what the transport does not take at once waits",
        ),
        Key::optional(
            "active",
            "{ spans = [[\"0 s\", \"2 s\"]], every = \"5 s\" }",
            "the spans in which it writes, in order, counted from its start, which may begin again after a period; always by default",
        ),
        Key::optional(
            "on",
            "{ constant = \"1 s\" }",
            "the distribution of the length of spans in which it writes, instead of active",
        ),
        Key::optional(
            "off",
            "{ exponential = { mean = \"2 s\" } }",
            "the distribution of the length of the silences between them",
        ),
    ],
    ..Entry::PLAIN
};

/// A span counted from the start of its source: its beginning, and its end.
pub type ActiveSpan = (Duration, Duration);

/// The spans in which a source is active.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Activity {
    /// One span without end.
    Always,
    /// Given spans in order, of which none overlaps another.
    Given {
        /// The spans.
        spans: Arc<[ActiveSpan]>,
        /// The period after which they begin again, which is longer than they are.
        every: Option<Duration>,
    },
    /// Spans and silences of drawn lengths.
    Drawn(Box<Spurts>),
}

/// A source that writes to one connection, which stays open.
#[derive(Clone, Debug)]
pub struct OnOff {
    start: Time,
    stop: Time,
    /// The gaps between packets; none for as much as the transport takes.
    spacing: Option<Spacing>,
    activity: Activity,
    /// The end of the present span.
    until: Time,
    /// True if it has not been told to pause in the present span.
    is_writing: bool,
}

impl OnOff {
    /// A source that begins at `start` and writes nothing at `stop` or later: a packet at each gap of `spacing`, or, without one, as
    /// much as the transport takes.
    pub fn new((start, stop): (Time, Time), spacing: Option<Spacing>, activity: Activity) -> OnOff {
        OnOff { start, stop, spacing, activity, until: start, is_writing: false }
    }

    /// The beginning of the first span.
    fn begin(&mut self) -> Option<Time> {
        match &self.activity {
            Activity::Always => self.until = Time::MAX,
            Activity::Given { .. } => return self.departure(self.start),
            Activity::Drawn(spurts) => self.until = spurts.until(),
        }
        Some(self.start)
    }

    /// The time at which what is due at `due` is written: then, or at the beginning of the next span. None if no span is left.
    fn departure(&mut self, due: Time) -> Option<Time> {
        if due < self.until {
            return Some(due);
        }
        match &mut self.activity {
            Activity::Always => None,
            Activity::Given { spans, every } => {
                let (from, until) = next_span(spans, *every, due.since(self.start))?;
                self.until = self.start + until;
                Some(due.max(self.start + from))
            }
            Activity::Drawn(spurts) => {
                let begin = spurts.departure(due);
                self.until = spurts.until();
                Some(begin)
            }
        }
    }

    /// Waits for the next packet, or for the end of the span or the beginning of the next. `at` is the time of the latest.
    fn wait(&mut self, at: Time, actions: &mut Vec<Action>) {
        let next = match &mut self.spacing {
            Some(spacing) => {
                let due = at + spacing.next();
                self.departure(due)
            }
            None if self.is_writing => Some(self.until),
            None => self.departure(self.until),
        };
        if let Some(next) = next.filter(|next| *next < self.stop) {
            actions.push(Action::Timer(next));
        }
    }
}

/// The first span that ends after `due`.
fn next_span(spans: &[ActiveSpan], every: Option<Duration>, due: Duration) -> Option<ActiveSpan> {
    let find = |due: Duration| spans.iter().find(|(_, until)| *until > due).copied();
    let Some(every) = every else { return find(due) };
    let periods = due.as_nanos() / every.as_nanos();
    let begun = every.saturating_mul(periods);
    let (begun, (from, until)) = match find(due.saturating_sub(begun)) {
        Some(span) => (begun, span),
        None => (begun + every, *spans.first()?),
    };
    Some((begun + from, begun + until))
}

impl Application for OnOff {
    fn needs(&self) -> Needs {
        Needs::Events
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        let Some(at) = self.begin().filter(|at| *at < self.stop) else { return };
        let packets = self.spacing.is_some().then_some(1);
        actions.push(Action::Open { socket: 0, at, packets, stop: self.stop, persistent: true });
        self.is_writing = true;
        self.wait(at, actions);
    }

    fn on_timer(&mut self, now: Time, actions: &mut Vec<Action>) {
        actions.push(match self.spacing {
            Some(_) => Action::Write { socket: 0, packets: 1 },
            None if self.is_writing => Action::Pause { socket: 0 },
            None => Action::Write { socket: 0, packets: u64::MAX },
        });
        self.is_writing = self.spacing.is_some() || !self.is_writing;
        self.wait(now, actions);
    }
}

#[cfg(test)]
mod tests {
    use ackclock_random::{Distribution, RandomStream};
    use ackclock_units::{Bytes, Rate};

    use super::*;

    /// A packet of 1000 bytes every 8 ms.
    fn eight_ms() -> Spacing {
        Spacing::constant(Rate::from_bits_per_second(1_000_000), Bytes::new(1000))
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn given(spans: &[(u64, u64)]) -> Activity {
        let millis = Duration::from_millis;
        let spans = spans.iter().map(|(from, until)| (millis(*from), millis(*until))).collect();
        Activity::Given { spans, every: None }
    }

    /// The actions of a source from its start with their times in milliseconds, at most twenty.
    fn acts(mut source: OnOff) -> Vec<(u64, &'static str)> {
        let (mut actions, mut done, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
        source.start(&mut actions);
        while done.len() < 20 {
            let mut timer = None;
            for action in actions.drain(..) {
                match action {
                    Action::Open { at, packets: Some(1), .. } => done.push((at, "write")),
                    Action::Open { at, packets: None, .. } => done.push((at, "all")),
                    Action::Write { packets: 1, .. } => done.push((now, "write")),
                    Action::Write { packets: u64::MAX, .. } => done.push((now, "all")),
                    Action::Pause { .. } => done.push((now, "pause")),
                    Action::Timer(at) => timer = Some(at),
                    other => panic!("{other:?}"),
                }
            }
            let Some(next) = timer else { break };
            now = next;
            source.on_timer(now, &mut actions);
        }
        done.into_iter().map(|(at, what)| (at.as_nanos() / 1_000_000, what)).collect()
    }

    #[test]
    fn a_source_of_a_rate_writes_a_packet_at_each_gap_until_its_stop() {
        let source = OnOff::new((at(5), at(22)), Some(eight_ms()), Activity::Always);
        assert_eq!(acts(source), [(5, "write"), (13, "write"), (21, "write")]);
    }

    /// Spans count from the start, 100 ms; the first packet of a span leaves at its beginning, and none at its end.
    #[test]
    fn a_source_of_a_rate_writes_in_its_spans_alone() {
        let source = OnOff::new((at(100), Time::MAX), Some(eight_ms()), given(&[(0, 8), (30, 40), (41, 43)]));
        assert_eq!(acts(source), [(100, "write"), (130, "write"), (138, "write")]);
    }

    #[test]
    fn a_source_without_a_rate_pauses_at_the_end_of_each_span() {
        let source = OnOff::new((at(100), Time::MAX), None, given(&[(10, 20), (50, 60)]));
        let expected = [(110, "all"), (120, "pause"), (150, "all"), (160, "pause")];
        assert_eq!(acts(source), expected);
        let stopped = OnOff::new((at(100), at(155)), None, given(&[(10, 20), (50, 60)]));
        assert_eq!(acts(stopped), expected[..3], "the stop ends the last span");
    }

    /// Spans of 10 ms each 40 ms, of which the first is 5 ms late.
    #[test]
    fn spans_begin_again_after_their_period() {
        let Activity::Given { spans, .. } = given(&[(5, 15)]) else { panic!() };
        let every = Some(Duration::from_millis(40));
        let source = OnOff::new((at(100), at(200)), None, Activity::Given { spans, every });
        let expected =
            [(105, "all"), (115, "pause"), (145, "all"), (155, "pause"), (185, "all"), (195, "pause")];
        assert_eq!(acts(source), expected);
    }

    #[test]
    fn drawn_spans_and_silences_follow_each_other() {
        let millis = |millis: f64| Distribution::Constant(millis / 1e3);
        let spurts = Spurts::new(millis(10.0), millis(30.0), RandomStream::new(1, "spans"), at(0));
        let source = OnOff::new((at(0), at(90)), None, Activity::Drawn(Box::new(spurts)));
        let expected = [(0, "all"), (10, "pause"), (40, "all"), (50, "pause"), (80, "all")];
        assert_eq!(acts(source), expected);
    }
}
