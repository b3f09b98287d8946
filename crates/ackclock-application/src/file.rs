//! The transfer of one file.

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::Time;

use crate::{Action, Application, Needs};

/// The largest file, in packets: the numbers of its bytes fit 64 bits.
pub(crate) const LARGEST_FILE: f64 = 1e12;

/// The entry of [`File`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "file",
    title: "sends one file and closes",
    source: "common practice",
    table: "flow",
    keys: &[
        Key::optional("packets", "100", "the size of the file, a whole number of packets"),
        Key::required(
            "size",
            "{ constant = \"100 packets\" }",
            "its distribution in packets, in place of packets",
        ),
    ],
    ..Entry::PLAIN
};

/// Sends one file.
#[derive(Clone, Copy, Debug)]
pub struct File {
    start: Time,
    stop: Time,
    packets: u64,
}

impl File {
    /// A file whose size is drawn from `size`, sent from `start` on. Nothing is written after `stop`.
    pub fn new(size: &Distribution, random: &mut RandomStream, start: Time, stop: Time) -> File {
        File { start, stop, packets: size.draw_whole(random, LARGEST_FILE) }
    }
}

impl Application for File {
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        let File { start: at, stop, packets } = *self;
        actions.push(Action::Open { socket: 0, at, packets: Some(packets), stop, persistent: false });
    }
}
