//! Circuit breakers: traffic with persistent excessive congestion is removed (RFC 8084).

use std::collections::BTreeMap;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "circuit-breaker",
    title: "drops all packets of a flow that has lost too large a part of its packets on the link for too long",
    source: "RFC 8084, 3.1 and 4",
    parameters: &[
        Parameter::new(
            "loss",
            Unit::Number,
            0.1,
            (0.0, 1.0),
            "the part of a flow's packets above which an interval counts as excessive congestion",
        ),
        Parameter::new("interval", Unit::Seconds, 5.0, (1e-3, 1e6), "the measurement interval"),
        Parameter::new(
            "intervals",
            Unit::Count,
            3.0,
            (1.0, 1e6),
            "successive intervals of excessive congestion that trigger the breaker",
        ),
        Parameter::new(
            "reset",
            Unit::Seconds,
            0.0,
            (0.0, 1e6),
            "the time after which a triggered breaker lets the flow pass again; 0 for never",
        ),
        Parameter::switch("aggregate", false, "measure and remove all flows together, as those of a tunnel"),
    ],
    check: Some(|values| {
        let least = values.get("interval") * values.get("intervals");
        let reset = values.get("reset");
        let holds = reset == 0.0 || reset >= least;
        holds.then_some(()).ok_or_else(|| {
            format!(
                "reset has to be 0 or at least intervals times interval, {least} s (RFC 8084, 4, item 13)"
            )
        })
    }),
    aliases: &["breaker", "circuit_breaker"],
    ..Entry::PLAIN
};

/// The state: the parameters, and a meter for each flow, or one for all.
///
/// The meters at both ends of the link are one here, which learns of each packet offered and dropped, so that no report of
/// a measurement is lost.
#[derive(Clone, Debug)]
pub(crate) struct CircuitBreaker {
    loss: f64,
    interval: Duration,
    intervals: u32,
    reset: Option<Duration>,
    aggregate: bool,
    meters: BTreeMap<u32, Meter>,
}

/// The packets that a flow offered and lost in an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Meter {
    /// The number of the interval.
    interval: u64,
    offered: u64,
    dropped: u64,
    /// Intervals of excessive congestion in succession before this one.
    excessive: u32,
    /// The end of the reaction.
    open_until: Time,
}

impl CircuitBreaker {
    pub(super) fn new(values: &Values, _: RandomStream) -> CircuitBreaker {
        CircuitBreaker {
            loss: values.get("loss"),
            interval: values.duration("interval"),
            intervals: values.get("intervals") as u32,
            reset: Some(values.duration("reset")).filter(|reset| !reset.is_zero()),
            aggregate: values.is_on("aggregate"),
            meters: BTreeMap::new(),
        }
    }

    /// True if a packet of the flow passes: it is offered to the link then.
    pub(crate) fn passes(&mut self, now: Time, flow: u32) -> bool {
        let meter = self.meter(now, flow);
        let passes = now >= meter.open_until;
        meter.offered += u64::from(passes);
        passes
    }

    /// A packet of the flow that passed is dropped on the link.
    pub(crate) fn note_drop(&mut self, now: Time, flow: u32) {
        self.meter(now, flow).dropped += 1;
    }

    /// The meter of a flow in the present interval.
    fn meter(&mut self, now: Time, flow: u32) -> &mut Meter {
        let present = now.as_nanos() / self.interval.as_nanos();
        let meter = self.meters.entry(if self.aggregate { 0 } else { flow }).or_default();
        if meter.interval == present {
            return meter;
        }
        let excessive = meter.dropped as f64 > self.loss * meter.offered as f64;
        meter.excessive = if excessive { meter.excessive + 1 } else { 0 };
        if meter.excessive >= self.intervals {
            let end = Time::from_nanos((meter.interval + 1) * self.interval.as_nanos());
            *meter =
                Meter { open_until: self.reset.map_or(Time::MAX, |reset| end + reset), ..Meter::default() };
        } else if present > meter.interval + 1 {
            meter.excessive = 0; // Nothing was offered in between.
        }
        (meter.interval, meter.offered, meter.dropped) = (present, 0, 0);
        meter
    }
}
