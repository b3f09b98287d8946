//! File after file, with thinking in between.

use std::sync::Arc;

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::{Duration, Time};

use crate::file::LARGEST_FILE;
use crate::{Action, Application, Ending, Needs};

/// The entry of [`ThinkAndSend`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "think-and-send",
    title: "sends file after file, each over a connection of its own, and thinks in between",
    source: "common practice",
    table: "flow",
    keys: &[
        Key::required(
            "size",
            "{ exponential = { mean = \"20 packets\" } }",
            "the distribution of the sizes in packets (or packets, for files of one size)",
        ),
        Key::required(
            "think",
            "{ exponential = { mean = \"5 s\" } }",
            "the distribution of the time from the end of a file to the next",
        ),
        Key::optional("think_first", "true", "whether the source thinks before its first file too"),
        crate::file::PATIENCE,
    ],
    ..Entry::PLAIN
};

/// Settings shared by the sources of one group.
#[derive(Clone, Debug)]
pub struct ThinkConfig {
    /// The size of a file in packets.
    pub size: Distribution,
    /// The time to think before a file, in seconds.
    pub think: Distribution,
    /// True if the source thinks before its first file too.
    pub think_first: bool,
    /// The time from the request for a file after which the source gives it up, in seconds; without one it
    /// never does.
    pub patience: Option<Distribution>,
    /// The time after which no file begins and nothing more is written; [`Time::MAX`] for never.
    pub stop: Time,
}

/// A source that thinks, sends a file, and thinks again.
///
/// It has its own random stream: sizes and times to think depend neither on the network nor on other flows.
#[derive(Clone, Debug)]
pub struct ThinkAndSend {
    config: Arc<ThinkConfig>,
    random: RandomStream,
    /// The beginning of the source, then the beginning of the next file.
    next: Time,
    packets: u64,
    /// The time after that at which it gives up the file.
    patience: Option<Duration>,
}

impl ThinkAndSend {
    /// A source that begins at `start`.
    pub fn new(config: Arc<ThinkConfig>, random: RandomStream, start: Time) -> ThinkAndSend {
        ThinkAndSend { config, random, next: start, packets: 0, patience: None }
    }

    /// Draws the time to think from `now` on, if there is one, then the next file. Returns true if the file
    /// begins before the stop.
    fn choose(&mut self, now: Time, thinks: bool) -> bool {
        let ThinkConfig { size, think, patience, stop, .. } = &*self.config;
        self.next = if thinks { now + think.draw_duration(&mut self.random) } else { now };
        self.packets = size.draw_whole(&mut self.random, LARGEST_FILE);
        self.patience = patience.as_ref().map(|patience| patience.draw_duration(&mut self.random));
        self.next < *stop
    }

    fn open(&self) -> Action {
        let (at, packets) = (self.next, Some(self.packets));
        let stop = self.patience.map_or(self.config.stop, |patience| self.config.stop.min(at + patience));
        Action::Open { socket: 0, at, packets, stop, persistent: false }
    }
}

impl Application for ThinkAndSend {
    fn needs(&self) -> Needs {
        Needs::Events
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        if self.choose(self.next, self.config.think_first) {
            actions.push(self.open());
        }
    }

    fn on_closed(&mut self, now: Time, _: u32, _: Ending, actions: &mut Vec<Action>) {
        if self.choose(now, true) {
            actions.push(Action::Timer(self.next));
        }
    }

    fn on_timer(&mut self, _: Time, actions: &mut Vec<Action>) {
        actions.push(self.open());
    }
}
