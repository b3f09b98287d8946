//! The transfer of one file.

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::Time;

use crate::{Action, Application, Needs};

/// The largest file, in packets: the numbers of its bytes fit 64 bits.
pub(crate) const LARGEST_FILE: f64 = 1e12;

/// The key of applications whose files are given up.
pub(crate) const PATIENCE: Key = Key::optional(
    "patience",
    "{ exponential = { mean = \"30 s\" } }",
    "the distribution of the time from the request for a file after which it is given up: nothing more of it is written; never by default",
);

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
            "its distribution in packets, instead of packets",
        ),
        PATIENCE,
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
    /// A file whose size is drawn from `size`, sent from `start` on. Nothing is written after `stop`, nor after a time drawn
    /// from `patience`, in seconds. Draws come from the stream `random`, which is made only if there are
    /// draws.
    pub fn new(
        size: &Distribution,
        patience: Option<&Distribution>,
        random: impl FnOnce() -> RandomStream,
        start: Time,
        stop: Time,
    ) -> File {
        if let (Some(packets), None) = (size.constant_whole(LARGEST_FILE), patience) {
            return File { start, stop, packets };
        }
        let random = &mut random();
        let packets = size.draw_whole(random, LARGEST_FILE);
        let given_up = patience.map_or(Time::MAX, |patience| start + patience.draw_duration(random));
        File { start, stop: stop.min(given_up), packets }
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
