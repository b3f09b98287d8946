//! Every queue discipline by name, with its parameters, their ranges and its source.

use std::sync::LazyLock;

use ackclock_congestion::registry::{Check, Entry, Kind, Make, Parameter, Values};
use ackclock_network::{Protect, Queue, Sfq};
use ackclock_units::Duration;

use QueueUnit::{None as Plain, Seconds};

/// One queue discipline.
#[derive(Clone, Copy, Debug)]
pub struct QueueEntry {
    /// Name, title, source and parameters.
    pub entry: Entry,
    /// The unit of each parameter.
    pub units: &'static [QueueUnit],
    /// The parameters' names, for errors.
    pub(super) parameter_names: &'static [&'static str],
    /// What must hold between parameters, beyond their ranges.
    pub(super) check: Option<Check>,
    /// Makes it.
    pub(super) make: fn(&Values) -> Queue,
}

/// The unit of a parameter where a scenario gives none, and has to give it in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueUnit {
    /// A number, or true and false.
    #[default]
    None,
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

/// A parameter with its unit.
type Row = (Parameter, QueueUnit);

const fn row(
    name: &'static str,
    unit: QueueUnit,
    default: f64,
    (min, max): (f64, f64),
    meaning: &'static str,
) -> Row {
    (Parameter { name, default, min, max, meaning }, unit)
}

const COUNT: (f64, f64) = (1.0, 1_048_576.0);
const OR_NONE: (f64, f64) = (0.0, 1_048_576.0);
const SWITCH: (f64, f64) = (0.0, 1.0);
const EVER: f64 = f64::INFINITY;

/// Name, title and source; parameters; what holds between them; and what is made of them.
type Definition = ([&'static str; 3], &'static [Row], Option<Check>, fn(&Values) -> Queue);

const DEFINITIONS: &[Definition] = &[
    (["droptail", "first in, first out; what does not fit is dropped", "common practice"], &[], None, |_| {
        Queue::DropTail
    }),
    (
        ["sfq", "flows hashed to buckets, served a packet each in turn", "McKenney, INFOCOM 1990"],
        &[
            row("buckets", Plain, 128.0, COUNT, "buckets"),
            row("depth", Plain, 0.0, OR_NONE, "packets a bucket may hold; 0: all share the buffer"),
            row(
                "perturbation",
                Seconds,
                10.0,
                (0.0, EVER),
                "how long a hash is kept, in seconds; 0: for ever",
            ),
        ],
        None,
        |values| Queue::Sfq(sfq(values)),
    ),
    (
        [
            "protect",
            "retransmissions have room of their own and go first",
            "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.2",
        ],
        &[
            row(
                "buckets",
                Plain,
                0.0,
                OR_NONE,
                "buckets of SFQ that new packets wait in; 0: one drop-tail queue",
            ),
            row("depth", Plain, 0.0, OR_NONE, "packets a bucket may hold; 0: all share the buffer"),
            row(
                "perturbation",
                Seconds,
                10.0,
                (0.0, EVER),
                "how long a hash is kept, in seconds; 0: for ever",
            ),
            row("reserve", Plain, 0.2, (0.0, 0.9), "the part of the buffer kept for retransmissions"),
            row("pushout", Plain, 0.0, SWITCH, "1: a retransmission without room takes that of a new packet"),
            row("flows", Plain, 4096.0, COUNT, "flows remembered"),
        ],
        None,
        |values| {
            Queue::Protect(Protect {
                buckets: (values.get("buckets") >= 1.0).then(|| sfq(values)),
                reserve: values.get("reserve"),
                pushes_out: is_on(values, "pushout"),
                flows: values.get("flows") as u32,
            })
        },
    ),
];

fn sfq(values: &Values) -> Sfq {
    Sfq {
        buckets: values.get("buckets") as u32,
        depth: Some(values.get("depth") as u32).filter(|depth| *depth > 0),
        perturbation: Some(seconds(values, "perturbation")).filter(|period| !period.is_zero()),
    }
}

fn is_on(values: &Values, name: &str) -> bool {
    values.get(name) >= 1.0
}

fn seconds(values: &Values, name: &str) -> Duration {
    Duration::from_secs_f64(values.get(name))
}

/// All queue disciplines, drop-tail first.
pub fn entries() -> &'static [QueueEntry] {
    static ALL: LazyLock<Vec<QueueEntry>> = LazyLock::new(|| {
        let made = |([name, title, source], rows, check, make): &Definition| {
            let parameters: Vec<Parameter> = rows.iter().map(|(parameter, _)| *parameter).collect();
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            let units: Vec<QueueUnit> = rows.iter().map(|(_, unit)| *unit).collect();
            let (parameters, brings) = (parameters.leak(), None);
            let entry = Entry {
                name,
                kind: Kind::Queue,
                title,
                source,
                parameters,
                brings,
                check: None,
                make: Make::Queue,
            };
            QueueEntry {
                entry,
                units: units.leak(),
                parameter_names: names.leak(),
                check: *check,
                make: *make,
            }
        };
        DEFINITIONS.iter().map(made).collect()
    });
    &ALL
}
