//! The catalogue entry.

use ackclock_catalogue::{Entry, Parameter, Unit};

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "allegro",
    title: "PCC Allegro: randomized trials of two rates, judged by a utility of throughput and loss",
    source: "Dong and others, NSDI 2015",
    parameters: &[
        Parameter::new(
            "alpha",
            Unit::Number,
            100.0,
            (1.0, 1e4),
            "steepness of the fall of the utility at the tolerated loss",
        ),
        Parameter::new("margin", Unit::Number, 0.05, (0.0, 1.0), "part of packets whose loss is tolerated"),
        Parameter::new(
            "epsilon_min",
            Unit::Number,
            0.01,
            (0.001, 0.2),
            "part of the rate by which the first trials differ from it",
        ),
        Parameter::new(
            "epsilon_max",
            Unit::Number,
            0.05,
            (0.001, 0.5),
            "the largest such part, after trials without a result",
        ),
        Parameter::new(
            "seed",
            Unit::Count,
            0.0,
            (0.0, 1e9),
            "of orders and lengths of trials, together with the times since the first acknowledgment",
        ),
    ],
    ..Entry::PLAIN
};
