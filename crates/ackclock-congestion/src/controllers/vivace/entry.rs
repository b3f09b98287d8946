//! The catalogue entry.

use ackclock_catalogue::{Entry, Parameter, Unit};

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "vivace",
    title: "PCC Vivace: gradient ascent on a utility of rate, delay and loss",
    source: "Dong and others, NSDI 2018",
    parameters: &[
        Parameter::new(
            "exponent",
            Unit::Number,
            0.9,
            (0.01, 1.0),
            "t: the utility grows as rate^t, in Mbit/s",
        ),
        Parameter::new(
            "latency",
            Unit::Number,
            900.0,
            (0.0, 1e6),
            "b: price of a delay that grows by a second per second; 0 is Vivace by loss alone",
        ),
        Parameter::new("loss", Unit::Number, 11.35, (0.0, 1e6), "c: price of a loss"),
        Parameter::new(
            "tolerance",
            Unit::Number,
            0.01,
            (0.0, 1.0),
            "gradients of the delay below this are noise",
        ),
        Parameter::new(
            "epsilon",
            Unit::Number,
            0.05,
            (0.001, 0.5),
            "part of the rate by which a pair differs from it",
        ),
        Parameter::new(
            "theta",
            Unit::Number,
            1.0,
            (0.0, 1e3),
            "Mbit/s of the first step in a direction, for a utility gradient of 1",
        ),
        Parameter::new(
            "omega",
            Unit::Number,
            0.05,
            (0.001, 1.0),
            "part of the rate by which the first step may change it",
        ),
        Parameter::new(
            "delta",
            Unit::Number,
            0.1,
            (0.0, 1.0),
            "what each step that reached its boundary adds to this part",
        ),
        Parameter::new(
            "packet_size",
            Unit::Bytes,
            1460.0,
            (1.0, 65_535.0),
            "bytes of a packet, by which the utility knows the rate in Mbit/s",
        ),
        Parameter::new(
            "seed",
            Unit::Count,
            0.0,
            (0.0, 1e9),
            "of the order of pairs, together with the times since the first acknowledgment",
        ),
    ],
    ..Entry::PLAIN
};
