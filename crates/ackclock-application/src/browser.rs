//! A user whose browser loads pages with objects that depend on each other, over HTTP/1.1, HTTP/2 or HTTP/3.
//!
//! Both ends are here: the browser at the client's sockets, the servers at the others.

mod lane;
mod page;
mod schedule;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::Time;

use crate::{Action, Application, Arrival, Needs, Report};
use lane::{Lane, Progress, Subject};
pub use page::{PageGraph, PageObject};
use schedule::Schedule;

/// The entry of [`Browser`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "browser",
    title: "a user whose browser loads pages of objects that depend on each other",
    source: "RFC 9112, RFC 9113, RFC 9114, RFC 9218",
    table: "flow",
    keys: &[
        Key::required(
            "page",
            "\"median-desktop\"",
            "a built-in page, or the objects of a page: their sizes, what mentions them, and their priorities",
        ),
        Key::optional(
            "http",
            "\"2\"",
            "the version of HTTP: \"1.1\", \"2\" or \"3\"; or a table with further keys",
        ),
        Key::optional(
            "think",
            "{ exponential = { mean = \"5 s\" } }",
            "the distribution of the time from the end of a page to the next; one page without",
        ),
        Key::optional("think_first", "true", "whether the user thinks before the first page too"),
        Key::optional(
            "patience",
            "{ constant = \"10 s\" }",
            "the distribution of the time after which the user gives a page up; unlimited without",
        ),
    ],
    ..Entry::PLAIN
};

/// The largest part of a response that is sent at once (RFC 9113, 4.2: the initial `SETTINGS_MAX_FRAME_SIZE`).
const LARGEST_FRAME: u64 = 16_384;
/// The bytes of a client's and of a server's part of a TLS handshake with a chain of certificates.
const CLIENT_HELLO: u64 = 500;
const SERVER_HELLO: u64 = 4000;
/// The bytes of a message that gives responses up: `RST_STREAM`, or `STOP_SENDING`.
const CANCEL_BYTES: u64 = 50;

/// The subjects of messages that concern no object.
const HELLO: u32 = u32::MAX;
const CANCEL: u32 = u32::MAX - 1;
/// A handshake belongs to no page, so that none that is given up takes it along.
const HELLO_SUBJECT: Subject = Subject { page: u32::MAX, object: HELLO };

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpVersion {
    /// HTTP/1.1: one response after another on each connection of a pool.
    One,
    /// HTTP/2: streams on one connection, which delivers in order.
    Two,
    /// HTTP/3: streams on one connection, which are delivered independently.
    Three,
}

/// Settings shared by the users of one group.
#[derive(Clone, Debug)]
pub struct BrowserConfig {
    /// The page.
    pub page: Arc<PageGraph>,
    /// The version of HTTP.
    pub http: HttpVersion,
    /// The number of connections at the same time, at most; one above HTTP/1.1.
    pub connections: u32,
    /// True if a TLS handshake of one round trip precedes the first request of a connection.
    pub tls: bool,
    /// The bytes of a request.
    pub request: u64,
    /// The payload of a full packet.
    pub mss: u64,
    /// The time to think before a page, in seconds; none for a user of one page.
    pub think: Option<Distribution>,
    /// True if the user thinks before the first page too.
    pub think_first: bool,
    /// The time after which a page is given up, in seconds; none for never.
    pub patience: Option<Distribution>,
    /// The time after which no page begins; [`Time::MAX`] for never.
    pub stop: Time,
}

/// A connection of the user to the server.
#[derive(Clone, Debug)]
struct Connection {
    stage: Stage,
    /// From the client, and from the server.
    up: Lane,
    down: Lane,
    /// The server's responses.
    schedule: Schedule,
    /// The object that is being fetched, under HTTP/1.1.
    object: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Closed,
    /// TLS is not set up.
    Opening,
    Open,
}

/// An event at a time of the browser's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The user asks for the next page.
    Begin,
    /// An object of a page has been found.
    Discover { page: u32, object: u32 },
    /// The patience with a page is over.
    GiveUp { page: u32 },
}

/// The page that is being loaded.
#[derive(Clone, Debug, Default)]
struct Loading {
    /// By object: whether it has been found.
    found: Vec<bool>,
    /// Objects that have not arrived; zero if no page is being loaded.
    missing: u32,
    /// Objects to ask for, once a connection can carry the request.
    waiting: Vec<u32>,
}

/// One user. Draws are the user's own: a page follows after the same thinking, whatever the network does.
#[derive(Clone, Debug)]
pub struct Browser {
    config: Arc<BrowserConfig>,
    random: RandomStream,
    connections: Vec<Connection>,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    /// The earliest timer that is set; [`Time::MAX`] for none.
    armed: Time,
    /// The number of the present page, from 1.
    page: u32,
    loading: Loading,
    /// True if no further page follows.
    has_left: bool,
    start: Time,
    news: Vec<Progress>,
}

impl Browser {
    /// A user who begins at `start`.
    pub fn new(config: Arc<BrowserConfig>, random: RandomStream, start: Time) -> Browser {
        let streams = config.http == HttpVersion::Three;
        let connection = Connection {
            stage: Stage::Closed,
            up: Lane::new(streams, config.mss),
            down: Lane::new(streams, config.mss),
            schedule: Schedule::default(),
            object: None,
        };
        let connections = vec![connection; config.connections as usize];
        Browser {
            config,
            random,
            connections,
            events: BinaryHeap::new(),
            armed: Time::MAX,
            page: 0,
            loading: Loading::default(),
            has_left: false,
            start,
            news: Vec::new(),
        }
    }

    /// Draws the time to think from `now` on, if there is one. The next page begins then.
    fn choose(&mut self, now: Time, thinks: bool) {
        let think = self.config.think.as_ref().filter(|_| thinks);
        let begin = now + think.map(|think| think.draw_duration(&mut self.random)).unwrap_or_default();
        if begin < self.config.stop {
            self.events.push(Reverse((begin, Event::Begin)));
        } else {
            self.has_left = true;
        }
    }

    /// Sets the timer for the next event.
    fn arm(&mut self, actions: &mut Vec<Action>) {
        if let Some(Reverse((time, _))) = self.events.peek()
            && *time < self.armed
        {
            self.armed = *time;
            actions.push(Action::Timer(*time));
        }
    }

    fn on_event(&mut self, now: Time, event: Event, actions: &mut Vec<Action>) {
        match event {
            Event::Begin => self.begin_page(now, actions),
            Event::Discover { page, object } if page == self.page && self.loading.missing > 0 => {
                self.ask(object, actions);
            }
            Event::GiveUp { page } if page == self.page && self.loading.missing > 0 => {
                self.give_up(now, actions);
            }
            Event::Discover { .. } | Event::GiveUp { .. } => {}
        }
    }

    fn begin_page(&mut self, now: Time, actions: &mut Vec<Action>) {
        for connection in &mut self.connections {
            connection.up.tidy();
            connection.down.tidy();
        }
        self.page += 1;
        let BrowserConfig { page, patience, mss, .. } = &*self.config;
        let count = page.objects().len();
        self.loading = Loading { found: vec![false; count], missing: count as u32, waiting: Vec::new() };
        let packets = page.objects().iter().map(|object| object.bytes).sum::<u64>().div_ceil(*mss);
        actions.push(Action::Report(Report::PageRequested { objects: count as u32, packets }));
        if let Some(patience) = patience {
            let end = now + patience.draw_duration(&mut self.random);
            self.events.push(Reverse((end, Event::GiveUp { page: self.page })));
        }
        self.loading.found[0] = true;
        self.ask(0, actions);
    }

    /// The user gives the page up: the servers send no more of it.
    fn give_up(&mut self, now: Time, actions: &mut Vec<Action>) {
        self.loading.missing = 0;
        self.has_left = self.config.think.is_none();
        let subject = Subject { page: self.page, object: CANCEL };
        for connection in &mut self.connections {
            connection.object = None;
            if connection.stage != Stage::Closed {
                send(connection, subject, CANCEL_BYTES);
            }
        }
        self.flush(actions);
        actions.extend([Action::Report(Report::PageGivenUp), Action::Report(Report::PageClosed)]);
        if self.has_left {
            self.close(CLIENT, actions);
        } else {
            self.choose(now, true);
        }
    }

    /// An object has been found: it is asked for at once, or when a connection is free.
    fn ask(&mut self, object: u32, actions: &mut Vec<Action>) {
        actions.push(Action::Report(Report::ObjectFound { object }));
        self.loading.waiting.push(object);
        self.dispatch(actions);
    }

    /// Sends the requests that connections can carry, and opens connections for others.
    fn dispatch(&mut self, actions: &mut Vec<Action>) {
        let pools = self.config.http == HttpVersion::One;
        while let Some(index) = self.most_urgent() {
            let is_free = |connection: &Connection| {
                connection.stage == Stage::Open && (!pools || connection.object.is_none())
            };
            let Some(number) = self.connections.iter().position(is_free) else {
                let opening = self.connections.iter().filter(|each| each.stage == Stage::Opening).count();
                let closed = self.connections.iter().position(|each| each.stage == Stage::Closed);
                // Those that open will carry as many requests.
                if let Some(number) = closed.filter(|_| opening < self.loading.waiting.len()) {
                    self.connect(number, actions);
                    continue;
                }
                return;
            };
            let object = self.loading.waiting.remove(index);
            let connection = &mut self.connections[number];
            connection.object = Some(object);
            let subject = Subject { page: self.page, object };
            let number = number as u32;
            actions.push(Action::Report(Report::ObjectRequested { object, connection: number }));
            send(connection, subject, self.config.request);
        }
    }

    /// The place of the object that waits and is asked for next.
    fn most_urgent(&self) -> Option<usize> {
        let waiting = self.loading.waiting.iter().enumerate();
        let first = waiting.min_by_key(|(_, object)| self.config.page.get(**object).urgency)?;
        Some(first.0)
    }

    /// Opens a connection.
    fn connect(&mut self, number: usize, actions: &mut Vec<Action>) {
        let connection = &mut self.connections[number];
        actions.push(Action::Connect { socket: 2 * number as u32 + CLIENT });
        if self.config.tls {
            connection.stage = Stage::Opening;
            send(connection, HELLO_SUBJECT, CLIENT_HELLO);
        } else {
            connection.stage = Stage::Open;
        }
    }

    /// Whole messages arrived at the server.
    fn on_requests(&mut self, number: usize, news: &[Progress], actions: &mut Vec<Action>) {
        let Connection { down, schedule, .. } = &mut self.connections[number];
        for Progress { subject, .. } in news.iter().filter(|news| news.arrived == news.size) {
            let (priority, bytes) = match subject.object {
                HELLO => ((0, false), SERVER_HELLO),
                CANCEL => {
                    schedule.cancel(subject.page);
                    if self.has_left {
                        actions.push(Action::Close { socket: 2 * number as u32 + SERVER });
                    }
                    continue;
                }
                object => {
                    let object = self.config.page.get(object);
                    ((object.urgency, object.incremental), object.bytes)
                }
            };
            let message = down.begin(*subject, bytes);
            schedule.add(*subject, message, priority, bytes);
        }
    }

    /// Bytes of responses arrived at the client.
    fn on_responses(&mut self, now: Time, number: usize, news: &[Progress], actions: &mut Vec<Action>) {
        for Progress { subject, before, arrived, size } in news.iter().copied() {
            if subject.object == HELLO {
                if arrived == size {
                    self.connections[number].stage = Stage::Open;
                }
            } else if subject.page == self.page && self.loading.missing > 0 {
                self.receive(now, number, subject.object, (before, arrived), actions);
            }
        }
        if self.loading.missing > 0 {
            self.dispatch(actions);
        }
    }

    /// Bytes of an object of the present page arrived.
    fn receive(
        &mut self,
        now: Time,
        number: usize,
        object: u32,
        (before, arrived): (u64, u64),
        actions: &mut Vec<Action>,
    ) {
        let config = Arc::clone(&self.config);
        let PageObject { bytes, .. } = *config.page.get(object);
        actions.push(Action::Report(Report::PageProgress));
        actions.push(Action::Report(Report::ObjectArrived { object, bytes: arrived - before }));
        let is_whole = arrived == bytes;
        if is_whole {
            self.connections[number].object = None;
        }
        for child in config.page.children(object).iter().copied() {
            let PageObject { offset, delay, .. } = *config.page.get(child);
            if offset <= arrived && !std::mem::replace(&mut self.loading.found[child as usize], true) {
                if delay.is_zero() {
                    self.ask(child, actions);
                } else {
                    let event = Event::Discover { page: self.page, object: child };
                    self.events.push(Reverse((now + delay, event)));
                }
            }
        }
        if is_whole {
            self.loading.missing -= 1;
            if self.loading.missing == 0 {
                self.end_page(now, actions);
            }
        }
    }

    /// The last object is there.
    fn end_page(&mut self, now: Time, actions: &mut Vec<Action>) {
        actions.extend([Action::Report(Report::PageReceived), Action::Report(Report::PageClosed)]);
        if self.config.think.is_some() {
            self.choose(now, true);
        } else {
            self.has_left = true;
        }
        if self.has_left {
            self.close(CLIENT, actions);
            self.close(SERVER, actions);
        }
    }

    /// Writes the messages of the client, those of one connection together, and sets the timer.
    fn settle(&mut self, actions: &mut Vec<Action>) {
        self.flush(actions);
        self.arm(actions);
    }

    fn flush(&mut self, actions: &mut Vec<Action>) {
        for (number, connection) in self.connections.iter_mut().enumerate() {
            let bytes = connection.up.write(false);
            if bytes > 0 {
                actions.push(Action::WriteBytes { socket: 2 * number as u32 + CLIENT, bytes });
            }
        }
    }

    /// Closes an end of all connections.
    fn close(&mut self, end: u32, actions: &mut Vec<Action>) {
        let open = self.connections.iter().enumerate().filter(|(_, each)| each.stage != Stage::Closed);
        actions.extend(open.map(|(number, _)| Action::Close { socket: 2 * number as u32 + end }));
    }
}

/// The sockets of a connection.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;

/// The client has a message to write.
fn send(connection: &mut Connection, subject: Subject, bytes: u64) {
    let message = connection.up.begin(subject, bytes);
    connection.up.append(message, bytes);
}

impl Application for Browser {
    fn needs(&self) -> Needs {
        Needs::Bytes
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        self.choose(self.start, self.config.think_first);
        self.arm(actions);
    }

    fn on_timer(&mut self, now: Time, actions: &mut Vec<Action>) {
        if self.armed <= now {
            self.armed = Time::MAX;
        }
        while let Some(Reverse((time, event))) = self.events.peek().copied()
            && time <= now
        {
            self.events.pop();
            self.on_event(now, event, actions);
        }
        self.settle(actions);
    }

    fn on_bytes(&mut self, now: Time, socket: u32, arrival: Arrival, actions: &mut Vec<Action>) {
        let mut news = std::mem::take(&mut self.news);
        let (number, range) = ((socket / 2) as usize, (arrival.begin, arrival.end));
        let connection = &mut self.connections[number];
        if socket % 2 == SERVER {
            connection.up.on_arrival(range, arrival.in_order, &mut news);
            self.on_requests(number, &news, actions);
        } else {
            connection.down.on_arrival(range, arrival.in_order, &mut news);
            self.on_responses(now, number, &news, actions);
        }
        news.clear();
        self.news = news;
        self.settle(actions);
    }

    fn on_writable(&mut self, _: Time, socket: u32, actions: &mut Vec<Action>) {
        let Connection { down, schedule, .. } = &mut self.connections[(socket / 2) as usize];
        let frame = if self.config.http == HttpVersion::Three { self.config.mss } else { LARGEST_FRAME };
        while let Some((message, bytes)) = schedule.next(frame) {
            down.append(message, bytes);
            let bytes = down.write(!schedule.is_empty());
            if bytes > 0 {
                actions.push(Action::WriteBytes { socket, bytes });
                return;
            }
        }
    }
}
