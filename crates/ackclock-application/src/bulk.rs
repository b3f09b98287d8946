//! A transfer without an end.

use ackclock_catalogue::Entry;
use ackclock_units::Time;

use crate::{Action, Application, Needs};

/// The entry of [`Bulk`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "bulk",
    title: "sends as much as the transport lets it, to the end of the run",
    source: "common practice",
    table: "flow",
    ..Entry::PLAIN
};

/// Sends from `start` until `stop`.
#[derive(Clone, Copy, Debug)]
pub struct Bulk {
    /// The time at which the connection opens.
    pub start: Time,
    /// The time after which nothing more is written; [`Time::MAX`] for never.
    pub stop: Time,
}

impl Application for Bulk {
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        let Bulk { start: at, stop } = *self;
        actions.push(Action::Open { socket: 0, at, packets: None, stop, persistent: false });
    }
}
