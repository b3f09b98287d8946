//! Connections drawn from bytes: any bytes name a controller of the registry, with parameters that it accepts, and the
//! operations on it. A fuzzer finds bytes that matter; a test takes random ones.

use ackclock_catalogue::{Entry, Parameter, Part, find};

use super::exercise::{Operation, exercise, exercise_model};
use crate::facts::Start;
use crate::registry::ControllerSpec;
use crate::{avoidance, controllers, slow_start};

/// The most operations of a connection. With its largest parameters `compound` can grow tenfold in every round trip;
/// after 300 operations such a window would overflow the range of `f64`.
const MOST_OPERATIONS: usize = 256;

/// Every composition that the registry allows: any slow start with any avoidance, and the models.
pub fn compositions() -> Vec<String> {
    let pairs = slow_start::ENTRIES.iter().flat_map(|first| {
        avoidance::ENTRIES.iter().map(move |second| format!("{}+{}", first.name, second.name))
    });
    pairs.chain(controllers::ENTRIES.iter().map(|entry| entry.name.to_owned())).collect()
}

/// A controller and the operations on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The controller's specification.
    pub controller: String,
    /// The windows with which it begins.
    pub start: Start,
    /// The operations, in order.
    pub operations: Vec<Operation>,
}

impl Connection {
    /// The connection that these bytes describe. The first two choose among the [`compositions`]; then come parameters,
    /// and operations for as long as there are bytes. Zeros choose the plainest connection.
    pub fn from_bytes(bytes: &[u8]) -> Connection {
        let mut draws = Draws(bytes);
        let all = compositions();
        let composition = &all[usize::from(draws.word()) % all.len()];
        let controller = with_parameters(composition, &mut draws);
        let start = draws.start();
        let mut operations = Vec::new();
        while !draws.0.is_empty() && operations.len() < MOST_OPERATIONS {
            operations.push(draws.operation());
        }
        Connection { controller, start, operations }
    }

    /// Carries out all operations.
    ///
    /// # Panics
    /// If the controller breaks a rule of [`exercise_model`], or, being window-based, one of [`exercise`].
    pub fn run(&self) {
        let spec: ControllerSpec = match self.controller.parse() {
            Ok(spec) => spec,
            Err(error) => panic!("{error}"),
        };
        let exercise = if spec.whole().is_some() { exercise_model } else { exercise };
        exercise(&|| spec.build(&self.start), &self.operations);
    }
}

/// A composition with parameters within their ranges, the ends included, as these bytes choose them.
///
/// # Panics
/// If it is none of the [`compositions`].
pub fn drawn(composition: &str, bytes: &[u8]) -> String {
    with_parameters(composition, &mut Draws(bytes))
}

fn with_parameters(composition: &str, draws: &mut Draws) -> String {
    let parts: Vec<_> = match composition.split_once('+') {
        Some((first, second)) => vec![(slow_start::ENTRIES, first), (avoidance::ENTRIES, second)],
        None => vec![(controllers::ENTRIES, composition)],
    };
    let texts = parts.into_iter().map(|(entries, name)| {
        let entry = find(entries, name).unwrap_or_else(|| panic!("no algorithm is called {name}"));
        draws.part_of(entry)
    });
    texts.collect::<Vec<_>>().join("+")
}

/// Bytes as a source of choices: when they are used up, zeros.
struct Draws<'a>(&'a [u8]);

impl Draws<'_> {
    fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or_default()
    }

    fn word(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    /// From 0 to 1, both included.
    fn part(&mut self) -> f64 {
        f64::from(self.word()) / f64::from(u16::MAX)
    }

    /// An algorithm with a choice for each of its parameters. A rule between several parameters may refuse a choice,
    /// and so may a parameter that has to be a whole number. Then the choice is rounded or left out.
    fn part_of(&mut self, entry: &'static Entry) -> String {
        let written = |chosen: &[(&str, f64)]| {
            let pairs: Vec<_> = chosen.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{}({})", entry.name, pairs.join(","))
        };
        let mut chosen = Vec::new();
        for parameter in entry.parameters {
            let Some(value) = self.value_of(parameter) else { continue };
            for value in [value, value.round()] {
                chosen.push((parameter.name, value));
                if matches!(Part::read(entry, &written(&chosen)), Ok(Some(_))) {
                    break;
                }
                chosen.pop();
            }
        }
        written(&chosen)
    }

    /// None for the default.
    fn value_of(&mut self, parameter: &Parameter) -> Option<f64> {
        let Parameter { default, min, max, .. } = *parameter;
        match self.byte() % 8 {
            0..=3 => None,
            4 => Some(min),
            5 => Some(max),
            6 => Some(min + self.part() * (if max.is_finite() { max } else { 1e6 } - min)),
            _ => Some((default * libm::exp2(8.0 * self.part() - 4.0)).clamp(min, max)),
        }
    }

    fn start(&mut self) -> Start {
        let initial_window = 1.0 + f64::from(self.byte() % 50);
        let threshold = self.byte() % 128;
        let initial_ssthresh = if threshold < 28 { f64::INFINITY } else { f64::from(threshold - 27) };
        Start { initial_window, initial_ssthresh, ..Start::default() }
    }

    fn flight(&mut self) -> f64 {
        match self.byte() {
            0 => f64::INFINITY,
            1 => 0.0,
            packets => 2.0 * f64::from(packets),
        }
    }

    fn operation(&mut self) -> Operation {
        match self.byte() % 32 {
            0..=25 => {
                let (counts, flags) = (self.byte(), self.byte());
                Operation::Ack {
                    acks: 1 + u32::from(counts / 32),
                    delivered: counts % 8,
                    gap: u32::from(self.byte()) * 256,
                    queueing: u32::from(self.byte()) * 512,
                    sampled: flags & 1 == 0,
                    closes_round: counts / 8 % 4 == 0,
                    window_limited: flags & 6 != 6,
                    told: (flags & 8 == 8).then(|| (flags / 16).cast_signed() - 8),
                }
            }
            kind @ (26 | 27) => {
                let flags = self.byte();
                let (restart, late) = (flags & 1 == 1, flags & 2 == 2);
                Operation::Congestion { marked: kind == 27, restart, late, flight: self.flight() }
            }
            28 | 29 => Operation::Timeout { flight: self.flight() },
            30 => match self.byte() % 2 {
                0 => Operation::Spurious,
                _ => Operation::SegmentSize { to: 500 + u32::from(self.byte()) * 32 },
            },
            _ => Operation::Idle { window: f64::from(self.byte() % 40 + 1) / 2.0 },
        }
    }
}
