//! Every queue discipline by name, with its parameters, their ranges and its source.

use std::sync::LazyLock;

use ackclock_catalogue::{Check, Entry, Parameter, Part, Unit, Values};
use ackclock_network::{Budgets, Classes, Codel, FlowMonitor, FqCodel, Pie, Protect, Queue, Red, Sfq};
use ackclock_units::{Bytes as Size, Duration};

use Unit::{Bytes, Milliseconds, Number as Plain, Packets, Seconds};

/// One queue discipline and its constructor.
type Definition = (Entry, fn(&Values) -> Queue);

const fn row(
    name: &'static str,
    unit: Unit,
    default: f64,
    range: (f64, f64),
    meaning: &'static str,
) -> Parameter {
    Parameter::new(name, unit, default, range, meaning)
}

const fn definition(
    [name, title, source]: [&'static str; 3],
    parameters: &'static [Parameter],
    check: Option<Check>,
    make: fn(&Values) -> Queue,
) -> Definition {
    (Entry { kind: "queue", name, title, source, parameters, check, ..Entry::PLAIN }, make)
}

const COUNT: (f64, f64) = (1.0, 1_048_576.0);
const OR_NONE: (f64, f64) = (0.0, 1_048_576.0);
const SWITCH: (f64, f64) = (0.0, 1.0);
const EVER: f64 = f64::INFINITY;

static DEFINITIONS: &[Definition] = &[
    definition(
        ["droptail", "first in, first out; what does not fit is dropped", "common practice"],
        &[],
        None,
        |_| Queue::DropTail,
    ),
    definition(
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
            Parameter::switch(
                "gentle",
                true,
                "1: from max to twice max the probability rises to 1; 0: at once",
            ),
            Parameter::switch(
                "bytes",
                false,
                "1: lengths are in bytes, and large packets are hit more often",
            ),
            row("packet", Bytes, 1000.0, (1.0, 65_535.0), "a packet's usual size, in bytes"),
            Parameter::switch("ecn", true, "1: what may be marked is marked, below where all is dropped"),
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
    definition(
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
            Parameter::switch("ecn", true, "0: nothing is marked"),
            Parameter::switch("derandomised", false, "1: drops keep a distance (5.4)"),
            Parameter::switch("capped", false, "1: from 0.1 on the probability grows by 0.02 at most (5.5)"),
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
    definition(
        ["codel", "drops or marks what leaves after waiting too long for too long", "RFC 8289"],
        &[TARGET, INTERVAL, MARKS],
        None,
        |values| Queue::Codel(codel(values)),
    ),
    definition(
        ["fq-codel", "a queue for each hash of flows, new ones first, each with CoDel's rule", "RFC 8290"],
        &[
            TARGET,
            INTERVAL,
            row("quantum", Bytes, 1514.0, (1.0, 1e9), "what a queue sends in a turn, in bytes"),
            row("flows", Unit::Count, 1024.0, COUNT, "queues"),
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
    definition(
        ["sfq", "flows hashed to buckets, served a packet each in turn", "McKenney, INFOCOM 1990"],
        &[row("buckets", Unit::Count, 128.0, COUNT, "buckets"), DEPTH, PERTURBATION],
        None,
        |values| Queue::Sfq(sfq(values)),
    ),
    definition(
        [
            "protect",
            "retransmissions have room of their own and go first",
            "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.2",
        ],
        &[
            row(
                "buckets",
                Unit::Count,
                0.0,
                OR_NONE,
                "buckets of SFQ that new packets wait in; 0: one drop-tail queue",
            ),
            DEPTH,
            PERTURBATION,
            row("reserve", Plain, 0.2, (0.0, 0.9), "the part of the buffer kept for retransmissions"),
            Parameter::switch(
                "pushout",
                false,
                "1: a retransmission without room takes that of a new packet",
            ),
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
    definition(
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
    definition(
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

const DEPTH: Parameter =
    row("depth", Unit::Count, 0.0, OR_NONE, "packets a bucket may hold; 0: all share the buffer");
const PERTURBATION: Parameter =
    row("perturbation", Seconds, 10.0, (0.0, EVER), "how long a hash is kept, in seconds; 0: for ever");
const FLOWS: Parameter = row("flows", Unit::Count, 4096.0, COUNT, "flows remembered");
const EPOCH: Parameter =
    row("epoch", Milliseconds, 400.0, (0.001, 1e6), "a round-trip time where no handshake told it, in ms");

fn monitor(values: &Values) -> FlowMonitor {
    FlowMonitor { epoch: milliseconds(values, "epoch"), flows: values.get("flows") as u32 }
}

const TARGET: Parameter =
    row("target", Milliseconds, 5.0, (0.001, 1e6), "the waiting time that may stand, in ms");
const INTERVAL: Parameter =
    row("interval", Milliseconds, 100.0, (0.001, 1e6), "how long more than that is taken for a burst, in ms");
const MARKS: Parameter = Parameter::switch("ecn", true, "1: what may be marked is marked, not dropped");

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
pub fn entries() -> &'static [Entry] {
    static ALL: LazyLock<Vec<Entry>> =
        LazyLock::new(|| DEFINITIONS.iter().map(|(entry, _)| *entry).collect());
    &ALL
}

/// The discipline with these parameters.
pub(super) fn make(part: &Part) -> Queue {
    let of = |(entry, _): &&Definition| entry.name == part.entry().name;
    let (_, make) = DEFINITIONS.iter().find(of).unwrap_or_else(|| unreachable!("{part} is registered"));
    make(&part.values())
}
