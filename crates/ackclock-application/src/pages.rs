//! Pages of several objects, fetched over a pool of connections.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::Time;

use crate::file::LARGEST_FILE;
use crate::{Action, Application, Ending, Needs, Report};

/// The entry of [`Pages`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "pages",
    title: "a user who fetches pages of several objects over a pool of connections",
    source: "common practice",
    table: "flow",
    keys: &[
        Key::required(
            "pool",
            "{ connections = 4, objects = { constant = \"8 objects\" } }",
            "the number of connections, the objects of a page, and whether connections are persistent",
        ),
        Key::required(
            "size",
            "{ constant = \"10 packets\" }",
            "the distribution of the sizes of objects in packets (or packets, for objects of one size)",
        ),
        Key::optional(
            "think",
            "{ exponential = { mean = \"5 s\" } }",
            "the distribution of the time from the end of a page to the next; one page without",
        ),
        Key::optional("think_first", "true", "whether the user thinks before the first page too"),
    ],
    ..Entry::PLAIN
};

/// The most objects of a page, which are all drawn when it is asked for.
const MOST_OBJECTS: f64 = 100_000.0;

/// Settings shared by the users of one group.
#[derive(Clone, Debug)]
pub struct PagesConfig {
    /// The number of connections at the same time, at most.
    pub connections: u32,
    /// Whether a connection fetches one object after another; otherwise each object has a connection of its own.
    pub persistent: bool,
    /// The number of objects of a page.
    pub objects: Distribution,
    /// The size of an object in packets.
    pub size: Distribution,
    /// The time to think before a page, in seconds; none for a user of one page.
    pub think: Option<Distribution>,
    /// Whether the user thinks before the first page too.
    pub think_first: bool,
    /// The time after which no page begins and nothing more is written; [`Time::MAX`] for never.
    pub stop: Time,
}

/// One connection of a user.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    /// Whether it is open for a further object.
    is_open: bool,
    is_busy: bool,
    /// Whether all of its object has arrived.
    is_complete: bool,
    /// The packets that have arrived, and those that will have arrived with the object.
    delivered: u64,
    wanted: u64,
}

/// One user. Draws are the user's own: a page has the same objects, and follows after the same thinking, whatever the
/// network and the algorithms do.
#[derive(Clone, Debug)]
pub struct Pages {
    config: Arc<PagesConfig>,
    random: RandomStream,
    connections: Vec<Connection>,
    /// The sizes in packets of the objects that no connection fetches yet.
    waiting: VecDeque<u64>,
    /// The beginning of the user, then that of the next page.
    next: Time,
    /// Objects of the page that have not arrived.
    missing: u32,
    /// Whether a page is being fetched: until its last connection is done.
    is_open: bool,
}

impl Pages {
    /// A user who begins at `start`.
    pub fn new(config: Arc<PagesConfig>, random: RandomStream, start: Time) -> Pages {
        let connections = vec![Connection::default(); config.connections as usize];
        let waiting = VecDeque::new();
        Pages { config, random, connections, waiting, next: start, missing: 0, is_open: false }
    }

    /// Draws the time to think from `now` on, if at all, then the number of objects, then their sizes, and waits for the
    /// time of the page.
    fn choose(&mut self, now: Time, thinks: bool, actions: &mut Vec<Action>) {
        let PagesConfig { objects, size, think, stop, .. } = &*self.config;
        let random = &mut self.random;
        let think = think.as_ref().filter(|_| thinks).map(|think| think.draw_duration(random));
        let objects = objects.draw_whole(random, MOST_OBJECTS) as u32;
        self.waiting = (0..objects).map(|_| size.draw_whole(random, LARGEST_FILE)).collect();
        self.missing = objects;
        self.next = now + think.unwrap_or_default();
        if self.next < *stop {
            actions.push(Action::Timer(self.next));
        }
    }

    /// Fetches as many objects as there are free connections; the first free connection, the first object.
    fn fetch(&mut self, now: Time, actions: &mut Vec<Action>) {
        while self.is_open
            && let Some(free) = self.connections.iter().position(|connection| !connection.is_busy)
            && let Some(packets) = self.waiting.pop_front()
        {
            let PagesConfig { persistent, stop, .. } = *self.config;
            let (socket, connection) = (free as u32, &mut self.connections[free]);
            (connection.is_busy, connection.is_complete) = (true, false);
            if connection.is_open {
                connection.wanted += packets;
                actions.push(Action::Write { socket, packets });
            } else {
                (connection.delivered, connection.wanted) = (0, packets);
                let packets = Some(packets);
                actions.push(Action::Open { socket, at: now, packets, stop, persistent });
            }
        }
    }

    /// One more object is there.
    fn receive_object(&mut self, actions: &mut Vec<Action>) {
        self.missing -= 1;
        if self.missing == 0 {
            actions.push(Action::Report(Report::PageReceived));
        }
    }
}

impl Application for Pages {
    fn needs(&self) -> Needs {
        Needs::Deliveries
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        self.choose(self.next, self.config.think_first, actions);
    }

    fn on_timer(&mut self, now: Time, actions: &mut Vec<Action>) {
        self.is_open = true;
        let packets = self.waiting.iter().fold(0, |sum: u64, packets| sum.saturating_add(*packets));
        actions.push(Action::Report(Report::PageRequested { objects: self.missing, packets }));
        self.fetch(now, actions);
    }

    fn on_delivered(&mut self, _: Time, socket: u32, delivered: u64, actions: &mut Vec<Action>) {
        let connection = &mut self.connections[socket as usize];
        if delivered <= connection.delivered {
            return;
        }
        connection.delivered = delivered;
        let completes = !connection.is_complete && delivered >= connection.wanted;
        connection.is_complete |= completes;
        if self.is_open && self.missing > 0 {
            actions.push(Action::Report(Report::PageProgress));
        }
        if completes {
            self.receive_object(actions);
        }
    }

    fn on_closed(&mut self, now: Time, socket: u32, ending: Ending, actions: &mut Vec<Action>) {
        let persistent = self.config.persistent;
        let connection = &mut self.connections[socket as usize];
        connection.is_busy = false;
        connection.is_open = persistent && ending == Ending::Sent;
        if now >= self.config.stop {
            // The rest of the page is not fetched.
            self.waiting.clear();
        }
        if ending != Ending::CutOff && !std::mem::replace(&mut connection.is_complete, true) {
            if ending == Ending::Failed {
                actions.push(Action::Report(Report::ObjectFailed));
            }
            actions.push(Action::Report(Report::PageProgress));
            self.receive_object(actions);
        }
        if self.waiting.is_empty() && !self.connections.iter().any(|connection| connection.is_busy) {
            self.is_open = false;
            if self.missing > 0 {
                actions.push(Action::Report(Report::PageProgress));
            }
            actions.push(Action::Report(Report::PageClosed));
            if self.config.think.is_some() {
                self.choose(now, true, actions);
            }
        }
        self.fetch(now, actions);
    }
}
