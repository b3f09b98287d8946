//! Pages of several objects, fetched over a pool of connections.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::Time;

use crate::file::LARGEST_FILE;
use crate::{Action, Application, Delivery, Ending, Needs, Report};

/// The entry of [`Pages`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "pages",
    title: "a user who fetches pages of several objects over a pool of connections",
    source: "RFC 9112, 9.3; RFC 9260, 6.5, for streams; burst-tcp, 3.3.1",
    table: "flow",
    keys: &[
        Key::required(
            "pool",
            "{ connections = 4, objects = { constant = \"8 objects\" } }",
            "the connections, the objects of a page, and whether connections are persistent, with pipelining and streams or without, and go to \
             servers of their own",
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

/// The most objects of a page. All are drawn when the page is requested.
const MOST_OBJECTS: f64 = 100_000.0;

/// Settings shared by the users of one group.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about connections or users")]
pub struct PagesConfig {
    /// The number of connections at the same time, at most.
    pub connections: u32,
    /// True if a connection fetches one object after another; otherwise each object has a connection of its own.
    pub persistent: bool,
    /// True for pipelining (RFC 9112, 9.3.2): a connection requests all its objects at once; otherwise one after the
    /// other.
    pub pipelining: bool,
    /// True for streams: an object is complete when its own packets have arrived; otherwise the connection delivers
    /// in order.
    pub streams: bool,
    /// The number of objects of a page.
    pub objects: Distribution,
    /// The size of an object in packets.
    pub size: Distribution,
    /// The time to think before a page, in seconds; none for a user of one page.
    pub think: Option<Distribution>,
    /// True if the user thinks before the first page too.
    pub think_first: bool,
    /// The time after which no page begins and nothing more is written; [`Time::MAX`] for never.
    pub stop: Time,
}

/// One connection of a user.
#[derive(Clone, Debug, Default)]
struct Connection {
    /// True if it is open for a further object.
    is_open: bool,
    is_busy: bool,
    /// True if all of its object has arrived.
    is_complete: bool,
    /// The packets that have arrived, and their number once the object is complete.
    delivered: u64,
    wanted: u64,
    /// The objects that were requested at once and are incomplete, in order.
    pipeline: VecDeque<Pipelined>,
}

/// An object among others of a connection.
#[derive(Clone, Copy, Debug)]
struct Pipelined {
    /// The number of its first packet in the connection, and of the packet after its last.
    begin: u64,
    end: u64,
    /// Its packets that have arrived.
    arrived: u64,
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
    /// The beginning of the user, then the beginning of the next page.
    next: Time,
    /// Objects of the page that have not arrived.
    missing: u32,
    /// True while a page is being fetched, until its last connection is done.
    is_open: bool,
}

impl Pages {
    /// A user who begins at `start`.
    pub fn new(config: Arc<PagesConfig>, random: RandomStream, start: Time) -> Pages {
        let connections = vec![Connection::default(); config.connections as usize];
        let waiting = VecDeque::new();
        Pages { config, random, connections, waiting, next: start, missing: 0, is_open: false }
    }

    /// Draws the time to think from `now` on, if there is one, then the number of objects and their sizes. Then
    /// waits for the time of the page.
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

    /// Requests all objects of the page at once, over the connections in turn.
    fn fetch_pipelined(&mut self, now: Time, actions: &mut Vec<Action>) {
        let PagesConfig { connections, stop, .. } = *self.config;
        for (index, packets) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            let place = index % connections as usize;
            let (socket, connection) = (place as u32, &mut self.connections[place]);
            if connection.is_open || connection.is_busy {
                actions.push(Action::Write { socket, packets });
            } else {
                (connection.delivered, connection.wanted) = (0, 0);
                let packets = Some(packets);
                actions.push(Action::Open { socket, at: now, packets, stop, persistent: true });
            }
            let (begin, end) = (connection.wanted, connection.wanted + packets);
            connection.pipeline.push_back(Pipelined { begin, end, arrived: 0 });
            connection.wanted = end;
            (connection.is_busy, connection.is_complete) = (true, true);
        }
    }

    /// A packet of a connection with several objects at once arrived.
    fn on_pipelined(&mut self, socket: u32, delivery: Delivery, actions: &mut Vec<Action>) {
        let connection = &mut self.connections[socket as usize];
        let is_new = delivery.packets > connection.delivered;
        connection.delivered = connection.delivered.max(delivery.packets);
        let before = connection.pipeline.len();
        if self.config.streams {
            let of = |object: &&mut Pipelined| (object.begin..object.end).contains(&delivery.number);
            if let Some(object) = connection.pipeline.iter_mut().find(of).filter(|_| is_new) {
                object.arrived += 1;
            }
            connection.pipeline.retain(|object| object.begin + object.arrived < object.end);
        } else {
            connection.pipeline.retain(|object| object.end > delivery.in_order);
        }
        let received = before - connection.pipeline.len();
        // Data that waits for an earlier packet is of no use to the user.
        let is_useful = is_new && (self.config.streams || delivery.in_order > delivery.number);
        if self.is_open && self.missing > 0 && is_useful {
            actions.push(Action::Report(Report::PageProgress));
        }
        for _ in 0..received {
            self.receive_object(actions);
        }
    }

    /// Fetches as many objects as there are free connections. The first free connection fetches the first object.
    fn fetch(&mut self, now: Time, actions: &mut Vec<Action>) {
        if self.config.pipelining && self.is_open {
            return self.fetch_pipelined(now, actions);
        }
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

    fn on_delivered(&mut self, _: Time, socket: u32, delivery: Delivery, actions: &mut Vec<Action>) {
        if self.config.pipelining {
            return self.on_pipelined(socket, delivery, actions);
        }
        let delivered = delivery.packets;
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
        // Later packets may complete an object that was cut off. It does not belong to the next page.
        let was_complete = std::mem::replace(&mut connection.is_complete, true);
        if ending != Ending::CutOff && !was_complete {
            if ending == Ending::Failed {
                actions.push(Action::Report(Report::ObjectFailed));
            }
            actions.push(Action::Report(Report::PageProgress));
            self.receive_object(actions);
        }
        // The rest of a connection that failed or was cut off does not come.
        let lost = std::mem::take(&mut self.connections[socket as usize].pipeline);
        for _ in lost.iter().filter(|_| ending == Ending::Failed) {
            actions.push(Action::Report(Report::ObjectFailed));
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
