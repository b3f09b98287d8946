//! The catalogue entry.

use ackclock_catalogue::{Entry, Parameter, Unit};

#[expect(clippy::approx_constant, reason = "the digits of the source")]
pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "cdg",
    title: "CDG as in Linux: back off with a probability that rises with the gradient of the delay",
    source: "Linux 6, tcp_cdg.c; Hayes and Armitage, Networking 2011",
    parameters: &[
        Parameter::new(
            "window",
            Unit::Count,
            8.0,
            (1.0, 256.0),
            "round trips of which gradients are summed, a power of two",
        ),
        Parameter::new(
            "backoff_beta",
            Unit::Number,
            0.7071,
            (0.0, 1.0),
            "part of the window kept when backing off for the delay, in whole 1024ths",
        ),
        Parameter::new(
            "backoff_factor",
            Unit::Number,
            42.0,
            (0.0, 1e6),
            "a sum of gradients of g seconds backs off with the probability 1 - exp(-backoff_factor g)",
        ),
        Parameter::new(
            "hystart_detect",
            Unit::Count,
            3.0,
            (0.0, 3.0),
            "slow start ends by 1: the train of acknowledgments; 2: the delay; 3: both; 0: neither",
        ),
        Parameter::new(
            "use_ineff",
            Unit::Count,
            5.0,
            (0.0, 65535.0),
            "back-offs in a row without a falling delay after which the delay is ignored; 0: never",
        ),
        Parameter::switch("use_shadow", true, "1: a loss halves the shadow window; 0: the window"),
        Parameter::switch(
            "use_tolerance",
            false,
            "1: a loss leaves the window where the gradients do not show a full queue; 0: it reduces it",
        ),
        Parameter::new(
            "seed",
            Unit::Count,
            0.0,
            (0.0, 1e9),
            "of the numbers drawn for back-offs, together with the times since the first acknowledgment",
        ),
    ],
    check: Some(|values| match values.get("window") as u32 {
        window if !window.is_power_of_two() => {
            Err(format!("window={window} must be a power of two, such as 8"))
        }
        _ => Ok(()),
    }),
    ..Entry::PLAIN
};
