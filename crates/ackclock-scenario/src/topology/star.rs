//! A star: hosts around one switch, from which many can send to one.

use ackclock_catalogue::{Entry, Key as EntryKey};
use serde::Deserialize;

use super::layout::{Layout, SHOWN};
use super::sketch::{Role, Sketch};
use crate::links::link::LinkConfig;
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::MOST_FLOWS;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "topology",
    name: "star",
    title: "hosts around one switch",
    source: "common practice",
    table: "topology.star",
    keys: &[
        EntryKey::required("hosts", "33", "the number of hosts, at least 2"),
        EntryKey::required(
            "link",
            "{ rate = \"10 Mbit/s\", delay = \"10 ms\" }",
            "the link from each host to `switch`",
        ),
        EntryKey::optional(
            "receiver",
            "{ rate = \"10 Mbit/s\", delay = \"10 ms\" }",
            "the link `switch->h1`; as `link` by default",
        ),
    ],
    ..Entry::PLAIN
};

/// An example of the table.
pub(super) const EXAMPLE: &str = r#"
[topology.star]
hosts = 33
link = { rate = "1 Gbit/s", delay = "10 us", buffer = "64 packets" }
"#;

/// Hosts `h1`..`hN` around `switch`. Flows that name no ends go from `h2`, `h3`, ... in turn to `h1`: the incast of
/// data centres.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Star {
    /// The number of hosts.
    pub hosts: u32,
    /// The link from each host to the switch.
    pub link: LinkConfig,
    /// The link from the switch to `h1`, if it differs from `link`.
    pub receiver: Option<LinkConfig>,
}

impl Layout for Star {
    fn check(&self, at: &Key, flows: u32) -> Checked {
        at.then("hosts").within(self.hosts, MOST_FLOWS)?;
        if self.hosts == 1 {
            return Err(at.then("hosts").wrong(1, "found 1; a star has at least two hosts"));
        }
        self.link.check(&at.then("link"), flows)?;
        self.receiver.as_ref().map_or(Ok(()), |link| link.check(&at.then("receiver"), flows))
    }

    /// The receiver's link, then the other hosts' links.
    fn links<'a>(&'a self, visit: &mut dyn FnMut(String, String, &'a LinkConfig)) {
        visit("switch".to_owned(), "h1".to_owned(), self.receiver.as_ref().unwrap_or(&self.link));
        for host in 2..=self.hosts {
            visit(format!("h{host}"), "switch".to_owned(), &self.link);
        }
    }

    fn nodes(&self) -> Vec<String> {
        let hosts = (1..=self.hosts.min(SHOWN)).map(|host| format!("h{host}"));
        std::iter::once("switch".to_owned()).chain(hosts).collect()
    }

    fn pairs(&self) -> u32 {
        self.hosts - 1
    }

    fn ends(&self, index: u32, _flow: &str, _seed: u64) -> Result<(String, String), &'static str> {
        Ok((format!("h{}", index % self.pairs() + 2), "h1".to_owned()))
    }

    /// The receiver on one side of the switch, at most four rows of senders on the other.
    fn sketch(&self) -> Sketch {
        let mut sketch = Sketch::default();
        let rows: Vec<u32> = match self.hosts {
            0..=5 => (2..=self.hosts).collect(),
            more => vec![2, 3, 0, more],
        };
        let last = rows.len() as f64 - 1.0;
        let switch = sketch.node("switch", Role::Router, 0.5, last / 2.0);
        let receiver = sketch.node("h1", Role::Host, 1.0, last / 2.0);
        sketch.trunk(switch, receiver, self.receiver.as_ref().unwrap_or(&self.link).in_words());
        for (host, row) in rows.into_iter().zip(0..) {
            if host == 0 {
                sketch.node("⋮", Role::Text, 0.0, f64::from(row));
                continue;
            }
            let sender = sketch.node(&format!("h{host}"), Role::Host, 0.0, f64::from(row));
            sketch.wire(sender, switch, Vec::new());
        }
        sketch.note(format!("each: {}", self.link.in_words().join(" · ")), 0.28, last.max(0.4) + 0.7);
        sketch
    }
}
