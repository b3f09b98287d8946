//! TFRC by name: `tfrc(discounting=1)`.

use std::fmt;

use ackclock_catalogue::{Entry, Parameter, Part, SpecError, Unit};
use ackclock_units::Duration;

use super::settings::Settings;

/// The catalogue entry of TFRC.
pub const ENTRY: Entry = Entry {
    kind: "transport",
    name: "tfrc",
    title: "datagrams paced at the rate of TCP's throughput equation, without retransmissions",
    source: "RFC 5348",
    parameters: &[
        Parameter::new("intervals", Unit::Count, 8.0, (1.0, 64.0), "loss intervals in the average (n, 5.4)"),
        Parameter::switch(
            "discounting",
            false,
            "1: a long time without loss makes older intervals count less (5.5)",
        ),
        Parameter::new("discount_floor", Unit::Number, 0.25, (0.01, 1.0), "the least discount factor (5.5)"),
        Parameter::new(
            "reordering",
            Unit::Count,
            3.0,
            (1.0, 1000.0),
            "later packets that turn a missing one into a loss (NDUPACK, 5.1)",
        ),
        Parameter::switch(
            "oscillation_reduction",
            false,
            "1: packets are spaced more widely while the round-trip time is above its average (4.5)",
        ),
        Parameter::new(
            "rtt_weight",
            Unit::Number,
            0.9,
            (0.0, 0.999),
            "the weight of the past in the average round-trip time (q, 4.3)",
        ),
        Parameter::new(
            "min_rto",
            Unit::Seconds,
            0.0,
            (0.0, 60.0),
            "the least t_RTO in the equation, which is 4 R otherwise (3.1)",
        ),
        Parameter::switch(
            "estimated_rto",
            false,
            "1: t_RTO is TCP's estimate, SRTT + 4 RTTVAR, as in ns-2; 0: 4 R (3.1)",
        ),
        Parameter::new(
            "max_backoff",
            Unit::Seconds,
            64.0,
            (0.001, 10_000.0),
            "the longest time between two packets (t_mbi, 4.3)",
        ),
        Parameter::new(
            "granularity",
            Unit::Seconds,
            0.0,
            (0.0, 10.0),
            "the tick of the sender's clock (t_gran, 4.6); 0: exact",
        ),
        Parameter::new("credit", Unit::RoundTrips, 0.0, (0.0, 1.0), "the credit of an idle sender (4.6)"),
    ],
    ..Entry::PLAIN
};

/// TFRC with values for its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec(Part);

impl Spec {
    /// Reads `tfrc` or `tfrc(key=value, key=value)`; none if the text names something else.
    ///
    /// # Errors
    /// When a parameter is not known or out of range.
    pub fn read(text: &str) -> Result<Option<Spec>, SpecError> {
        Ok(Part::read(&ENTRY, text)?.map(Spec))
    }

    /// The settings of a flow whose packets carry `segment_size` bytes.
    pub fn settings(&self, segment_size: u16) -> Settings {
        let values = self.0.values();
        let is_on = |name| values.get(name) > 0.0;
        let span = |name| Duration::from_secs_f64(values.get(name));
        Settings {
            segment_size,
            intervals: values.get("intervals") as usize,
            discounting: is_on("discounting"),
            discount_floor: values.get("discount_floor"),
            reordering: values.get("reordering") as u32,
            oscillation_reduction: is_on("oscillation_reduction"),
            rtt_weight: values.get("rtt_weight"),
            min_rto: span("min_rto"),
            estimated_rto: is_on("estimated_rto"),
            max_backoff: span("max_backoff"),
            granularity: span("granularity"),
            credit_rtts: values.get("credit"),
        }
    }
}

impl Default for Spec {
    fn default() -> Spec {
        Spec(Part::of(&ENTRY))
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_defaults_are_those_of_the_settings() {
        assert_eq!(Spec::default().settings(1460), Settings::default());
    }

    #[test]
    fn it_is_written_as_it_is_read() {
        let read = |text| Spec::read(text).map(|spec| spec.map(|spec| spec.to_string()));
        assert_eq!(read("tfrc"), Ok(Some("tfrc".to_owned())));
        assert_eq!(
            read(" tfrc( min_rto=1, discounting = 1)"),
            Ok(Some("tfrc(discounting=1,min_rto=1)".to_owned()))
        );
        assert_eq!(read("sack+tfrc"), Ok(None));
        assert_eq!(read("tfrc(discount=1)").unwrap_err().nearest.as_deref(), Some("discounting"));
        assert!(read("tfrc(intervals=0)").is_err());
        for (text, problem) in [
            ("tfrc(discounting=0.5)", "tfrc: discounting=0.5 must be 0 or 1"),
            ("tfrc(oscillation_reduction=0.1)", "tfrc: oscillation_reduction=0.1 must be 0 or 1"),
            ("tfrc(intervals=8.5)", "tfrc: intervals=8.5 must be a whole number"),
            ("tfrc(discounting=1,reordering=3.7)", "tfrc: reordering=3.7 must be a whole number"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!((error.found.as_str(), error.message()), (text, problem));
        }
        assert!(read("tfrc(discounting=1").is_err());
    }
}
