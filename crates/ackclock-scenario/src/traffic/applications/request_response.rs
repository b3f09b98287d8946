//! A client that sends requests, and a server that answers them, over one connection.

use std::sync::Arc;

use ackclock_application::{self as application, RequestConfig};
use ackclock_units::{Duration, Time};
use serde::Deserialize;

use super::kind::{Install, Kind, OnlyTcp, Traits, check_thinking, yes};
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::values::distribution::Distribution;
use crate::values::packets::Packets;

/// A client that sends requests, and a server that answers them, over one connection with data both ways.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestResponse {
    /// The requests.
    pub request: Request,
    /// The responses.
    pub response: Response,
    /// The time to think before a request; none for clients of one request.
    pub think: Option<Distribution<Duration>>,
    /// True if clients think before the first request too.
    #[serde(default = "yes")]
    pub think_first: bool,
}

/// `request` of a `[[flow]]`: the requests of a client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Request {
    /// The number of packets of a request, drawn for each and rounded up.
    pub size: Distribution<Packets>,
}

/// `response` of a `[[flow]]`: the responses of a server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Response {
    /// The number of packets of a response, drawn for each and rounded up.
    pub size: Distribution<Packets>,
    /// The time from the whole request to the response; none for a server that answers at once.
    pub think: Option<Distribution<Duration>>,
}

impl Kind for RequestResponse {
    const NAME: &'static str = "request-response";
    const ASKED_BY: &'static [&'static str] = &["request", "response"];

    fn traits(&self) -> Traits {
        let only_tcp = OnlyTcp { key: &["request"], cannot: "does not carry data both ways" };
        Traits { is_two_way: true, only_tcp: Some(only_tcp), ..Traits::default() }
    }

    fn check(&self, at: &Key) -> Checked {
        check_thinking(at, self.think.as_ref(), self.think_first)?;
        self.request.size.check(&at.then("request").then("size"))?;
        let at = at.then("response");
        self.response.size.check(&at.then("size"))?;
        self.response.think.as_ref().map_or(Ok(()), |time| time.check(&at.then("think")))
    }

    fn install(&self, stop: Time) -> Install {
        let RequestResponse { request, response, think, think_first } = self;
        let config = Arc::new(RequestConfig {
            request: request.size.law(),
            response: response.size.law(),
            server_think: response.think.as_ref().map(Distribution::law),
            think: think.as_ref().map(Distribution::law),
            think_first: *think_first,
            stop,
        });
        Box::new(move |at| {
            Box::new(application::RequestResponse::new(Arc::clone(&config), at.random("requests"), at.start))
        })
    }
}
