//! Every queue discipline by name, with its parameters, their ranges and its source.

use std::sync::LazyLock;

use ackclock_congestion::registry::{Check, Entry, Kind, Make, Parameter, Values};
use ackclock_network::{Budgets, Classes, Codel, FlowMonitor, FqCodel, Pie, Protect, Queue, Red, Sfq};
use ackclock_units::{Bytes as Size, Duration};

use QueueUnit::{Bytes, Milliseconds, None as Plain, Packets, Seconds};

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
        [
            "red",
            "drops or marks early, by the average queue length",
            "Floyd and Jacobson 1993; Floyd 2000 (gentle)",
        ],
        &[
            row("min", Packets, 5.0, (0.0, 1e9), "the average below which nothing happens, in packets"),
            row("max", Packets, 15.0, (0.0, 1e9), "the average where the probability is max_p, in packets"),
            row("max_p", Plain, 0.1, (0.0, 1.0), "the probability at max"),
            row("weight", Plain, 0.002, (1e-9, 1.0), "the weight of the present length in the average (w_q)"),
            row(
                "gentle",
                Plain,
                1.0,
                SWITCH,
                "1: from max to twice max the probability rises to 1; 0: at once",
            ),
            row("bytes", Plain, 0.0, SWITCH, "1: lengths are in bytes, and large packets are hit more often"),
            row("packet", Bytes, 1000.0, (1.0, 65_535.0), "a packet's usual size, in bytes"),
            row("ecn", Plain, 1.0, SWITCH, "1: what may be marked is marked, below where all is dropped"),
        ],
        Some(|values| {
            let (min, max) = (values.get("min"), values.get("max"));
            if min < max { Ok(()) } else { Err(format!("min is below max, which is {max}; found {min}")) }
        }),
        |values| {
            Queue::Red(Red {
                min: values.get("min"),
                max: values.get("max"),
                max_p: values.get("max_p"),
                weight: values.get("weight"),
                gentle: is_on(values, "gentle"),
                in_bytes: is_on(values, "bytes"),
                packet: values.get("packet") as u32,
                marks: is_on(values, "ecn"),
            })
        },
    ),
    (
        ["pie", "drops or marks by a probability that follows the waiting time", "RFC 8033"],
        &[
            row(
                "reference",
                Milliseconds,
                15.0,
                (0.001, 1e6),
                "the waiting time aimed at (QDELAY_REF), in ms",
            ),
            row(
                "update",
                Milliseconds,
                15.0,
                (0.001, 1e6),
                "how often the probability is changed (T_UPDATE), in ms",
            ),
            row("burst", Milliseconds, 150.0, (0.0, 1e6), "how long a burst is let in (MAX_BURST), in ms"),
            row("alpha", Plain, 0.125, (0.0, 1e3), "the weight of the distance to the reference, per second"),
            row(
                "beta",
                Plain,
                1.25,
                (0.0, 1e3),
                "the weight of the growth since the last update, per second",
            ),
            row("packet", Bytes, 1000.0, (1.0, 65_535.0), "a packet's mean size (MEAN_PKTSIZE), in bytes"),
            row(
                "mark_up_to",
                Plain,
                0.1,
                SWITCH,
                "the probability up to which marks replace drops (mark_ecnth)",
            ),
            row("ecn", Plain, 1.0, SWITCH, "0: nothing is marked"),
            row("derandomised", Plain, 0.0, SWITCH, "1: drops keep a distance (5.4)"),
            row("capped", Plain, 0.0, SWITCH, "1: from 0.1 on the probability grows by 0.02 at most (5.5)"),
        ],
        None,
        |values| {
            Queue::Pie(Pie {
                reference: milliseconds(values, "reference"),
                update: milliseconds(values, "update"),
                burst: milliseconds(values, "burst"),
                alpha: values.get("alpha"),
                beta: values.get("beta"),
                packet: values.get("packet") as u32,
                mark_up_to: if is_on(values, "ecn") { values.get("mark_up_to") } else { -1.0 },
                derandomised: is_on(values, "derandomised"),
                capped: is_on(values, "capped"),
            })
        },
    ),
    (
        ["codel", "drops or marks what leaves after waiting too long for too long", "RFC 8289"],
        &[TARGET, INTERVAL, MARKS],
        None,
        |values| Queue::Codel(codel(values)),
    ),
    (
        ["fq-codel", "a queue for each hash of flows, new ones first, each with CoDel's rule", "RFC 8290"],
        &[
            TARGET,
            INTERVAL,
            row("quantum", Bytes, 1514.0, (1.0, 1e9), "what a queue sends in a turn, in bytes"),
            row("flows", Plain, 1024.0, COUNT, "queues"),
            row("limit", Packets, 10_240.0, (1.0, 4e9), "the most packets, beside the link's buffer"),
            row("memory", Bytes, 33_554_432.0, (1.0, 1e15), "the most bytes, beside the link's buffer"),
            MARKS,
        ],
        None,
        |values| {
            Queue::FqCodel(FqCodel {
                codel: codel(values),
                flows: values.get("flows") as u32,
                quantum: values.get("quantum") as u32,
                limit: values.get("limit") as u32,
                memory: Size::new(values.get("memory") as u64),
            })
        },
    ),
    (
        ["sfq", "flows hashed to buckets, served a packet each in turn", "McKenney, INFOCOM 1990"],
        &[row("buckets", Plain, 128.0, COUNT, "buckets"), DEPTH, PERTURBATION],
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
            DEPTH,
            PERTURBATION,
            row("reserve", Plain, 0.2, (0.0, 0.9), "the part of the buffer kept for retransmissions"),
            row("pushout", Plain, 0.0, SWITCH, "1: a retransmission without room takes that of a new packet"),
            FLOWS,
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
    (
        [
            "classes",
            "drops first where it would cost a flow no timeout, last where it would cost a repeated one",
            "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.1, 6.2",
        ],
        &[
            row("threshold", Plain, 0.9, SWITCH, "the probability from which a flow counts as vulnerable"),
            EPOCH,
            FLOWS,
        ],
        None,
        |values| Queue::Classes(Classes { monitor: monitor(values), threshold: values.get("threshold") }),
    ),
    (
        [
            "budgets",
            "drops from flows that can sustain another drop in their round-trip time",
            "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.1, 6.2",
        ],
        &[EPOCH, FLOWS],
        None,
        |values| Queue::Budgets(Budgets { monitor: monitor(values) }),
    ),
];

const DEPTH: Row = row("depth", Plain, 0.0, OR_NONE, "packets a bucket may hold; 0: all share the buffer");
const PERTURBATION: Row =
    row("perturbation", Seconds, 10.0, (0.0, EVER), "how long a hash is kept, in seconds; 0: for ever");
const FLOWS: Row = row("flows", Plain, 4096.0, COUNT, "flows remembered");
const EPOCH: Row =
    row("epoch", Milliseconds, 400.0, (0.001, 1e6), "a round-trip time where no handshake told it, in ms");

fn monitor(values: &Values) -> FlowMonitor {
    FlowMonitor { epoch: milliseconds(values, "epoch"), flows: values.get("flows") as u32 }
}

const TARGET: Row = row("target", Milliseconds, 5.0, (0.001, 1e6), "the waiting time that may stand, in ms");
const INTERVAL: Row =
    row("interval", Milliseconds, 100.0, (0.001, 1e6), "how long more than that is taken for a burst, in ms");
const MARKS: Row = row("ecn", Plain, 1.0, SWITCH, "1: what may be marked is marked, not dropped");

fn codel(values: &Values) -> Codel {
    Codel {
        target: milliseconds(values, "target"),
        interval: milliseconds(values, "interval"),
        marks: is_on(values, "ecn"),
    }
}

fn milliseconds(values: &Values, name: &str) -> Duration {
    Duration::from_secs_f64(values.get(name) / 1e3)
}

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
