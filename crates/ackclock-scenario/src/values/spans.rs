//! Spans of time: fixed ones, which may begin again after a period, or random ones.

use ackclock_network::{Markov, Points, Profile};
use ackclock_units::Duration;
use serde::Deserialize;

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::{LONGEST_DELAY, MOST_POINTS, SHORTEST_DWELL};
use crate::read::quantity;
use crate::values::schedule::Text;

/// Fixed `spans`, or random ones with mean times `up` and `down`: the outages of a link, or the activity of a source, which has no
/// random ones.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Spans {
    /// The beginning and the end of each.
    pub spans: Option<Vec<(Text<Duration>, Text<Duration>)>>,
    /// The period after which the spans begin again.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub every: Option<Duration>,
    /// The mean time from the end of one to the beginning of the next; exponentially
    /// distributed.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub up: Option<Duration>,
    /// The mean length of one; exponentially distributed.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub down: Option<Duration>,
}

impl Spans {
    /// Refuses outages that overlap, and what is neither spans nor times.
    pub(crate) fn check_outage(&self, at: &Key) -> Checked {
        match (&self.spans, self.up, self.down) {
            (Some(spans), None, None) => self.check_spans(at, "an outage", spans),
            (None, Some(up), Some(down)) => {
                if let Some(every) = self.every {
                    return Err(at.then("every").wrong(every, "goes with spans; random outages have no period"));
                }
                for (name, time) in [("up", up), ("down", down)] {
                    at.then(name).at_most(time, LONGEST_DELAY)?;
                    if time < SHORTEST_DWELL {
                        return Err(at.then(name).wrong(time, format!("found {time}; at least {SHORTEST_DWELL}")));
                    }
                }
                Ok(())
            }
            _ => Err(at.error(
                "expected spans, such as { spans = [[\"10 s\", \"12 s\"]] }, or the mean times up and down, such as \
                 { up = \"30 s\", down = \"500 ms\" }",
            )),
        }
    }

    /// Refuses spans of activity that overlap, and random ones.
    pub(crate) fn check_activity(&self, at: &Key) -> Checked {
        match (&self.spans, self.up.or(self.down)) {
            (Some(spans), None) => self.check_spans(at, "a span", spans),
            _ => Err(at.error(
                "expected spans, such as { spans = [[\"0 s\", \"2 s\"]], every = \"10 s\" }; \"on\" and \"off\" draw them",
            )),
        }
    }

    fn check_spans(&self, at: &Key, what: &str, spans: &[(Text<Duration>, Text<Duration>)]) -> Checked {
        let list = at.then("spans");
        if spans.is_empty() || spans.len() > MOST_POINTS {
            return Err(
                list.wrong(spans.len(), format!("found {} spans; expected 1 to {MOST_POINTS}", spans.len()))
            );
        }
        let mut before = Duration::ZERO;
        for (index, (Text(start), Text(end))) in spans.iter().enumerate() {
            let at = list.then(index);
            if start >= end || (*start < before) {
                let message = format!(
                    "found {start} to {end}; {what} ends after it begins, and begins after the one before, which ends at \
                     {before}"
                );
                return Err(at.wrong(start, message));
            }
            at.then(1).at_most(*end, LONGEST_DELAY)?;
            before = *end;
        }
        let Some(every) = self.every else { return Ok(()) };
        at.then("every").at_most(every, LONGEST_DELAY)?;
        if every <= before {
            let message =
                format!("found {every}; the spans begin again after the end of the last, at {before}");
            return Err(at.then("every").wrong(every, message));
        }
        Ok(())
    }

    /// As outages: 1 while the link works, 0 in them.
    pub(crate) fn profile(&self) -> Profile {
        if let (Some(up), Some(down)) = (self.up, self.down) {
            return Profile::Markov(Markov { states: [(1, up), (0, down)].into(), neighbours: false });
        }
        let mut points = vec![(Duration::ZERO, 1)];
        for (Text(start), Text(end)) in self.spans.iter().flatten() {
            if points.last().is_some_and(|(time, _)| time == start) {
                points.pop();
            }
            points.extend([(*start, 0), (*end, 1)]);
        }
        Profile::Points(Points { points: points.into(), linear: false, every: self.every })
    }
}
