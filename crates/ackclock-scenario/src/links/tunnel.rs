//! `tunnel` of a link: `"normal"`, `"compatibility(overhead=36)"` or `{ normal = { overhead = "36 bytes" } }`.

use std::fmt;
use std::sync::LazyLock;

use ackclock_catalogue::Part;
use ackclock_network as network;
use serde::de::{Deserialize, DeserializeSeed as _, Deserializer};

use crate::read::part::Choice;

/// A mode of tunnels with a value for each of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tunnel(Part);

impl Tunnel {
    /// The tunnel in the form that networks take.
    pub(crate) fn part(&self) -> Part {
        self.0.clone()
    }
}

impl fmt::Display for Tunnel {
    /// Writes only values that differ from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Tunnel {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Tunnel, D::Error> {
        TUNNELS.deserialize(from).map(Tunnel)
    }
}

static TUNNELS: LazyLock<Choice> = LazyLock::new(|| {
    let example =
        "a tunnel such as \"normal\", \"normal(overhead=36)\" or { normal = { overhead = \"36 bytes\" } }";
    Choice::new(network::TUNNELS, "tunnel", "link", example)
});
