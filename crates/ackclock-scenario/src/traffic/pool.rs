//! `pool` of a `[[flow]]`: users who fetch pages of several objects over a pool of connections each.

use std::str::FromStr;

use ackclock_units::{Duration, ParseQuantityError, split_quantity};
use serde::Deserialize;

use crate::read::error::ScenarioError;
use crate::read::quantity::{self, Quantity};
use crate::values::distribution::{Distribution, Drawn};

/// The pages that each user of a group fetches. An object has the group's `size`, or its `packets`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent keys")]
#[non_exhaustive]
pub struct Pool {
    /// Connections that a user has at the same time, at most.
    pub connections: u32,
    /// The number of objects of a page, drawn for each page and rounded up to a whole object.
    #[serde(default = "one_object")]
    pub objects: Distribution<Objects>,
    /// True if a connection fetches one object after another; otherwise each object has a connection of its own.
    #[serde(default)]
    pub persistent: bool,
    /// True if all objects of a page are requested at once (pipelining of P-HTTP), over the connections in turn.
    #[serde(default)]
    pub pipelining: bool,
    /// True for streams as in SCTP, one for each object: a lost packet delays only its own object.
    #[serde(default)]
    pub streams: bool,
    /// True if each connection goes to a server of its own; otherwise a user's connections have the same ends.
    #[serde(default)]
    pub own_servers: bool,
    /// A time without new data of at least this length is a stall.
    #[serde(default = "one_second", deserialize_with = "quantity::read")]
    pub stall_after: Duration,
}

/// A number of objects, as a parameter of a distribution: `"20 objects"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objects(pub f64);

/// The most connections of a user.
const MOST_CONNECTIONS: u32 = 1000;

impl Quantity for Objects {
    const WHAT: &'static str = "a number of objects";
    const EXAMPLE: &'static str = "20 objects";
}

impl FromStr for Objects {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Objects, ParseQuantityError> {
        match split_quantity(text)? {
            (count, "objects" | "object") if count >= 0.0 => Ok(Objects(count)),
            _ => Err(ParseQuantityError::new(format!(
                "found {text:?}; expected a number of objects such as \"20 objects\""
            ))),
        }
    }
}

impl Drawn for Objects {
    const HAS_TABLES: bool = false;
    fn base(self) -> f64 {
        self.0
    }
}

impl Pool {
    /// The number of pairs of nodes that each user takes.
    pub(crate) fn places(&self) -> u32 {
        if self.own_servers { self.connections } else { 1 }
    }

    /// Checks the values.
    pub(crate) fn check(&self, key: &str) -> Result<(), ScenarioError> {
        if !(1..=MOST_CONNECTIONS).contains(&self.connections) {
            let message =
                format!("found {}; a user has 1 to {MOST_CONNECTIONS} connections", self.connections);
            return Err(ScenarioError::at(format!("{key}.connections"), message)
                .with_found(self.connections.to_string()));
        }
        for (name, wanted, needed, has_needed) in [
            ("pipelining", self.pipelining, "persistent", self.persistent),
            ("streams", self.streams, "pipelining", self.pipelining),
        ] {
            if wanted && !has_needed {
                let message = format!("found true without \"{needed} = true\", which it goes with");
                return Err(ScenarioError::at(format!("{key}.{name}"), message).with_found("true"));
            }
        }
        self.objects.check(&format!("{key}.objects"))
    }
}

fn one_object() -> Distribution<Objects> {
    Distribution::Constant(Objects(1.0))
}

fn one_second() -> Duration {
    Duration::from_secs(1)
}
