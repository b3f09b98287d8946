//! Requests and responses over one connection.

use std::sync::Arc;

use ackclock_catalogue::{Entry, Key};
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::Time;

use crate::file::LARGEST_FILE;
use crate::{Action, Application, Delivery, Needs, Report};

/// The entry of [`RequestResponse`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "request-response",
    title: "a client sends requests over one connection, and a server answers each with a response",
    source: "common practice",
    table: "flow",
    keys: &[
        Key::required(
            "request",
            "{ size = { constant = \"1 packet\" } }",
            "the distribution of the sizes of requests in packets",
        ),
        Key::required(
            "response",
            "{ size = { constant = \"10 packets\" } }",
            "the distribution of the sizes of responses in packets, and of the time before the server answers",
        ),
        Key::optional(
            "think",
            "{ exponential = { mean = \"1 s\" } }",
            "the distribution of the time from a response to the next request; one request without",
        ),
        Key::optional("think_first", "true", "whether the client thinks before its first request too"),
    ],
    ..Entry::PLAIN
};

/// The sockets of the connection.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;

/// Settings shared by the clients of one group and their servers.
#[derive(Clone, Debug)]
pub struct RequestConfig {
    /// The size of a request in packets.
    pub request: Distribution,
    /// The size of a response in packets.
    pub response: Distribution,
    /// The time from the whole request to the response, in seconds; none for a server that answers at once.
    pub server_think: Option<Distribution>,
    /// The time from a response to the next request, in seconds; none for a client of one request.
    pub think: Option<Distribution>,
    /// True if the client thinks before its first request too.
    pub think_first: bool,
    /// The time after which no request is sent; [`Time::MAX`] for never.
    pub stop: Time,
}

/// The state of the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The client thinks.
    Idle,
    /// The request is under way.
    Request,
    /// The server thinks.
    Serving,
    /// The response is under way, and none of it has arrived.
    Response,
    /// A part of the response has arrived.
    Receiving,
}

/// A client and its server. They have their own random stream: sizes and times to think do not depend on the
/// network.
#[derive(Clone, Debug)]
pub struct RequestResponse {
    config: Arc<RequestConfig>,
    random: RandomStream,
    phase: Phase,
    /// The beginning of the client, then the beginning of the next request.
    next: Time,
    /// The sizes of the present exchange, in packets.
    request: u64,
    response: u64,
    /// The packets that client and server will have received at the end of the exchange.
    wanted: [u64; 2],
}

impl RequestResponse {
    /// A client that begins at `start`.
    pub fn new(config: Arc<RequestConfig>, random: RandomStream, start: Time) -> RequestResponse {
        RequestResponse {
            config,
            random,
            phase: Phase::Idle,
            next: start,
            request: 0,
            response: 0,
            wanted: [0; 2],
        }
    }

    /// Draws the time to think from `now` on, if there is one, then both sizes. Returns true if the request is
    /// sent before the stop.
    fn choose(&mut self, now: Time, thinks: bool) -> bool {
        let RequestConfig { request, response, think, stop, .. } = &*self.config;
        let random = &mut self.random;
        let think = think.as_ref().filter(|_| thinks).map(|think| think.draw_duration(random));
        self.next = now + think.unwrap_or_default();
        self.request = request.draw_whole(random, LARGEST_FILE);
        self.response = response.draw_whole(random, LARGEST_FILE);
        self.next < *stop
    }

    /// Begins the exchange that was chosen.
    fn begin(&mut self) -> Report {
        self.phase = Phase::Request;
        self.wanted[SERVER as usize] += self.request;
        self.wanted[CLIENT as usize] += self.response;
        Report::Requested { request: self.request, response: self.response }
    }

    /// The server writes the response.
    fn respond(&mut self, actions: &mut Vec<Action>) {
        self.phase = Phase::Response;
        actions.push(Action::Write { socket: SERVER, packets: self.response });
    }

    /// The whole request has arrived.
    fn on_request(&mut self, now: Time, actions: &mut Vec<Action>) {
        actions.push(Action::Report(Report::RequestReceived));
        match &self.config.server_think {
            None => self.respond(actions),
            Some(think) => {
                self.phase = Phase::Serving;
                actions.push(Action::Timer(now + think.draw_duration(&mut self.random)));
            }
        }
    }

    /// The whole response has arrived.
    fn on_response(&mut self, now: Time, actions: &mut Vec<Action>) {
        actions.push(Action::Report(Report::ResponseReceived));
        self.phase = Phase::Idle;
        if self.config.think.is_some() && self.choose(now, true) {
            actions.push(Action::Timer(self.next));
        } else {
            actions.extend([Action::Close { socket: CLIENT }, Action::Close { socket: SERVER }]);
        }
    }
}

impl Application for RequestResponse {
    fn needs(&self) -> Needs {
        Needs::Deliveries
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        if self.choose(self.next, self.config.think_first) {
            let (at, packets) = (self.next, Some(self.request));
            // The application handles the stop itself: no response is cut off.
            actions.push(Action::Open { socket: CLIENT, at, packets, stop: Time::MAX, persistent: true });
            actions.push(Action::Report(self.begin()));
        }
    }

    fn on_timer(&mut self, now: Time, actions: &mut Vec<Action>) {
        if self.phase == Phase::Serving {
            self.respond(actions);
        } else {
            debug_assert_eq!(now, self.next, "the client's timer is that of its next request");
            actions.push(Action::Report(self.begin()));
            actions.push(Action::Write { socket: CLIENT, packets: self.request });
        }
    }

    fn on_delivered(&mut self, now: Time, socket: u32, delivery: Delivery, actions: &mut Vec<Action>) {
        let delivered = delivery.packets;
        let is_whole = delivered >= self.wanted[socket as usize];
        match (socket, self.phase) {
            (SERVER, Phase::Request) if is_whole => self.on_request(now, actions),
            (CLIENT, Phase::Response | Phase::Receiving) => {
                // Data from before the response does not come again, so this belongs to the response.
                if self.phase == Phase::Response && delivered > self.wanted[CLIENT as usize] - self.response {
                    self.phase = Phase::Receiving;
                    actions.push(Action::Report(Report::ResponseBegun));
                }
                if is_whole {
                    self.on_response(now, actions);
                }
            }
            _ => {}
        }
    }
}
