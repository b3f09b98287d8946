//! The application of a `[[flow]]` or `[[udp]]`: read from the group's keys, checked, and made for a run.

use std::sync::Arc;

use ackclock_application::{
    self as application, Bulk, File, Pages, PagesConfig, RequestConfig, RequestResponse, ThinkAndSend,
    ThinkConfig,
};
use ackclock_random::RandomStream;
use ackclock_units::{Duration, Time};
use serde::Deserialize;

use super::pool::Pool;
use crate::endpoints::algorithm;
use crate::read::error::{Checked, ScenarioError, clip};
use crate::read::key::Key;
use crate::values::distribution::Distribution;
use crate::values::packets::Packets;

/// The application of a flow group.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Application {
    /// A transfer without an end.
    #[default]
    Bulk,
    /// One file.
    File {
        /// Its size.
        size: Distribution<Packets>,
        /// The time after which it is given up; never where there is none.
        patience: Option<Distribution<Duration>>,
    },
    /// One file after another, with thinking in between.
    ThinkAndSend {
        /// The size of a file.
        size: Distribution<Packets>,
        /// The time to think before a file.
        think: Distribution<Duration>,
        /// True if the source thinks before its first file too.
        think_first: bool,
        /// The time from the request for a file after which it is given up; never where there is none.
        patience: Option<Distribution<Duration>>,
    },
    /// Users who fetch pages over pools of connections.
    Pages {
        /// The connections of a user and the objects of a page.
        pool: Pool,
        /// The size of an object.
        size: Distribution<Packets>,
        /// The time to think before a page; none for users of one page.
        think: Option<Distribution<Duration>>,
        /// True if users think before the first page too.
        think_first: bool,
    },
    /// A client that sends requests, and a server that answers them, over one connection.
    RequestResponse {
        /// The requests.
        request: Request,
        /// The responses.
        response: Response,
        /// The time to think before a request; none for clients of one request.
        think: Option<Distribution<Duration>>,
        /// True if clients think before the first request too.
        think_first: bool,
    },
}

/// `request` of a `[[flow]]`: what a client asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Request {
    /// The number of packets of a request, drawn for each and rounded up.
    pub size: Distribution<Packets>,
}

/// `response` of a `[[flow]]`: what a server answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Response {
    /// The number of packets of a response, drawn for each and rounded up.
    pub size: Distribution<Packets>,
    /// The time from the whole request to the response; none for a server that answers at once.
    pub think: Option<Distribution<Duration>>,
}

/// The keys of a group that say which application its flows run.
pub(crate) struct ApplicationKeys {
    pub packets: Option<u64>,
    pub size: Option<Distribution<Packets>>,
    pub pool: Option<Pool>,
    pub request: Option<Request>,
    pub response: Option<Response>,
    pub think: Option<Distribution<Duration>>,
    pub think_first: bool,
    pub patience: Option<Distribution<Duration>>,
}

/// Makes the application of one flow of a group, or of one user.
pub type Install = Box<dyn Fn(&FlowIdentity<'_>) -> Box<dyn application::Application> + Send>;

/// The flow or the user that an application is made for.
pub struct FlowIdentity<'a> {
    /// The seed of all random streams of the run.
    pub seed: u64,
    /// The name of its flow or user, which no other has.
    pub name: &'a str,
    /// The time at which the flow or user begins.
    pub start: Time,
}

impl FlowIdentity<'_> {
    /// The random stream of its own for some purpose.
    pub(crate) fn random(&self, purpose: &str) -> RandomStream {
        RandomStream::new(self.seed, &format!("{purpose} {}", self.name))
    }
}

impl Application {
    /// The application that the keys of a group ask for; `at` is the group's place.
    pub(crate) fn of(keys: ApplicationKeys, at: &Key) -> Result<Application, ScenarioError> {
        let wrong = |name: &str, message: &str| Err(at.then(name).error(message));
        if keys.packets.is_some() && keys.size.is_some() {
            return wrong("size", "the size is given twice; \"packets\" is there too");
        }
        if !keys.think_first && keys.think.is_none() {
            return wrong("think_first", "found false without \"think\"; this flow does not think");
        }
        let sends_files = keys.pool.is_none() && (keys.packets.is_some() || keys.size.is_some());
        if keys.patience.is_some() && !sends_files {
            return wrong(
                "patience",
                "goes with \"packets\" or \"size\" of files; no other transfer is given up",
            );
        }
        if keys.request.is_some() || keys.response.is_some() {
            let exchange = Application::exchange(keys, at)?;
            exchange.check(at)?;
            return Ok(exchange);
        }
        let ApplicationKeys { packets, size, pool, think, think_first, patience, .. } = keys;
        let fixed = packets.map(|packets| Distribution::Constant(Packets(packets as f64)));
        let found = match (pool, size.or(fixed), think) {
            (Some(_), None, _) => return wrong("size", "missing; pages have objects, which have a size"),
            (None, None, Some(_)) => {
                return wrong("size", "missing; a source that thinks sends files, which have a size");
            }
            (None, None, None) => Application::Bulk,
            (None, Some(size), None) => Application::File { size, patience },
            (None, Some(size), Some(think)) => {
                Application::ThinkAndSend { size, think, think_first, patience }
            }
            (Some(pool), Some(size), think) => Application::Pages { pool, size, think, think_first },
        };
        if packets == Some(0) {
            let message = "found 0; a file has at least 1 packet (leave the key out to send for ever)";
            return Err(at.then("packets").wrong(0, message));
        }
        found.check(at)?;
        Ok(found)
    }

    /// Requests and responses.
    fn exchange(keys: ApplicationKeys, at: &Key) -> Result<Application, ScenarioError> {
        let ApplicationKeys { packets, size, pool, request, response, think, think_first, .. } = keys;
        let Some(request) = request else {
            return Err(at.then("request").error("missing; a response answers a request"));
        };
        let Some(response) = response else {
            return Err(at.then("response").error("missing; a request has a response"));
        };
        let others = [("packets", packets.is_some()), ("size", size.is_some()), ("pool", pool.is_some())];
        if let Some((name, _)) = others.iter().find(|(_, is_there)| *is_there) {
            let message = "goes without \"request\"; requests and responses have sizes of their own";
            return Err(at.then(name).error(message));
        }
        Ok(Application::RequestResponse { request, response, think, think_first })
    }

    /// Refuses values that no run can have.
    fn check(&self, at: &Key) -> Checked {
        let (size, think, patience) = (at.then("size"), at.then("think"), at.then("patience"));
        match self {
            Application::Bulk => Ok(()),
            Application::File { size: of_file, patience: longest } => {
                of_file.check(&size)?;
                longest.as_ref().map_or(Ok(()), |time| time.check(&patience))
            }
            Application::ThinkAndSend { size: of_file, think: time, patience: longest, .. } => {
                of_file.check(&size)?;
                longest.as_ref().map_or(Ok(()), |time| time.check(&patience))?;
                time.check(&think)
            }
            Application::Pages { pool, size: of_object, think: time, .. } => {
                pool.check(&at.then("pool"))?;
                of_object.check(&size)?;
                time.as_ref().map_or(Ok(()), |time| time.check(&think))
            }
            Application::RequestResponse { request, response, think: time, .. } => {
                request.size.check(&at.then("request").then("size"))?;
                let at = at.then("response");
                response.size.check(&at.then("size"))?;
                response.think.as_ref().map_or(Ok(()), |time| time.check(&at.then("think")))?;
                time.as_ref().map_or(Ok(()), |time| time.check(&think))
            }
        }
    }

    /// Refuses `algorithms` that cannot carry the application: only a TCP connection can take up another object.
    pub(crate) fn check_algorithms<'a>(
        &self,
        at: &Key,
        mut algorithms: impl Iterator<Item = &'a str>,
        custom: &[String],
    ) -> Checked {
        let (at, cannot) = match self {
            Application::Pages { pool: Pool { persistent: true, .. }, .. } => {
                (at.then("pool").then("persistent"), "does not fetch one object after another")
            }
            Application::RequestResponse { .. } => (at.then("request"), "does not carry data both ways"),
            _ => return Ok(()),
        };
        match algorithms.find(|name| !algorithm::is_tcp(name, custom)) {
            None => Ok(()),
            Some(name) => Err(at.wrong(clip(name), format!("{name} {cannot}; only TCP does"))),
        }
    }

    /// Its name, as in [`ackclock_application::ENTRIES`].
    pub fn name(&self) -> &'static str {
        match self {
            Application::Bulk => "bulk",
            Application::File { .. } => "file",
            Application::ThinkAndSend { .. } => "think-and-send",
            Application::Pages { .. } => "pages",
            Application::RequestResponse { .. } => "request-response",
        }
    }

    /// The number of its flows.
    pub fn flows(&self) -> u32 {
        self.pool().map_or(1, |pool| pool.connections)
    }

    /// True if data goes both ways.
    pub fn is_two_way(&self) -> bool {
        matches!(self, Application::RequestResponse { .. })
    }

    /// True if it sends files, each of which is a transfer with an end.
    pub fn sends_files(&self) -> bool {
        !matches!(self, Application::Bulk | Application::RequestResponse { .. })
    }

    /// True if it opens one connection after another.
    pub fn reopens(&self) -> bool {
        matches!(self, Application::ThinkAndSend { .. } | Application::Pages { .. })
    }

    /// The pool of its users' connections; none if the group is one of flows.
    pub fn pool(&self) -> Option<&Pool> {
        match self {
            Application::Pages { pool, .. } => Some(pool),
            _ => None,
        }
    }

    /// Makes the applications of a group that writes nothing after `stop`.
    pub fn install(&self, stop: Time) -> Install {
        match self {
            Application::Bulk => Box::new(move |at| Box::new(Bulk { start: at.start, stop })),
            Application::File { size, patience } => {
                let (size, patience) = (size.law(), patience.as_ref().map(Distribution::law));
                Box::new(move |at| {
                    let random = || at.random("files");
                    Box::new(File::new(&size, patience.as_ref(), random, at.start, stop))
                })
            }
            Application::ThinkAndSend { size, think, think_first, patience } => {
                let (size, think, think_first) = (size.law(), think.law(), *think_first);
                let patience = patience.as_ref().map(Distribution::law);
                let config = Arc::new(ThinkConfig { size, think, think_first, patience, stop });
                Box::new(move |at| {
                    Box::new(ThinkAndSend::new(Arc::clone(&config), at.random("files"), at.start))
                })
            }
            Application::Pages { pool, size, think, think_first } => {
                let config = Arc::new(PagesConfig {
                    connections: pool.connections,
                    persistent: pool.persistent,
                    pipelining: pool.pipelining,
                    streams: pool.streams,
                    objects: pool.objects.law(),
                    size: size.law(),
                    think: think.as_ref().map(Distribution::law),
                    think_first: *think_first,
                    stop,
                });
                Box::new(move |at| Box::new(Pages::new(Arc::clone(&config), at.random("pages"), at.start)))
            }
            Application::RequestResponse { request, response, think, think_first } => {
                let config = Arc::new(RequestConfig {
                    request: request.size.law(),
                    response: response.size.law(),
                    server_think: response.think.as_ref().map(Distribution::law),
                    think: think.as_ref().map(Distribution::law),
                    think_first: *think_first,
                    stop,
                });
                Box::new(move |at| {
                    Box::new(RequestResponse::new(Arc::clone(&config), at.random("requests"), at.start))
                })
            }
        }
    }
}
