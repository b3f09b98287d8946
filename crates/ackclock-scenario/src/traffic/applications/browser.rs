//! Users whose browsers load pages of objects that depend on each other.

use std::fmt;
use std::sync::Arc;

use ackclock_application::{self as application, BrowserConfig, HttpVersion};
use ackclock_units::{Bytes, Duration, Time};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::kind::{Install, Kind, OnlyTcp, Traits, check_thinking, yes};
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::quantity;
use crate::traffic::page::Page;
use crate::values::distribution::Distribution;

/// The connections of a browser to one host under HTTP/1.1, as those of Chrome and Firefox.
const POOL: u32 = 6;
/// The most connections of a user.
const MOST_CONNECTIONS: u32 = 100;
/// The most bytes of a request.
const LARGEST_REQUEST: u64 = 1_000_000;

/// Users whose browsers load pages; each has the flows of its connections.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Browser {
    /// The page.
    pub page: Page,
    /// The version of HTTP.
    #[serde(default)]
    pub http: Http,
    /// The time to think before a page; none for users of one page.
    pub think: Option<Distribution<Duration>>,
    /// True if users think before the first page too.
    #[serde(default = "yes")]
    pub think_first: bool,
    /// The time after which a page is given up; without one it never is.
    pub patience: Option<Distribution<Duration>>,
}

/// A version of HTTP, and how a browser uses it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[non_exhaustive]
pub struct Http {
    /// The version.
    pub version: Version,
    /// The most connections at the same time, of HTTP/1.1.
    pub connections: Option<u32>,
    /// True if a TLS handshake precedes the first request of a connection. The handshake of QUIC contains it.
    pub tls: Option<bool>,
    /// The size of a request.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub request: Option<Bytes>,
    /// A time without new data of at least this length is a stall.
    #[serde(default = "one_second", deserialize_with = "quantity::read")]
    pub stall_after: Duration,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub enum Version {
    /// HTTP/1.1.
    #[serde(rename = "1.1")]
    One,
    /// HTTP/2.
    #[serde(rename = "2")]
    Two,
    /// HTTP/3.
    #[serde(rename = "3")]
    Three,
}

impl Default for Http {
    fn default() -> Http {
        Http::of(Version::Two)
    }
}

impl<'de> Deserialize<'de> for Http {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Http, D::Error> {
        from.deserialize_any(VersionOrTable)
    }
}

struct VersionOrTable;

impl<'de> Visitor<'de> for VersionOrTable {
    type Value = Http;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a version of HTTP, \"1.1\", \"2\" or \"3\", or a table such as { version = \"2\", tls = false }",
        )
    }

    fn visit_str<E: de::Error>(self, version: &str) -> Result<Http, E> {
        Version::deserialize(de::value::StrDeserializer::new(version)).map(Http::of)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Http, A::Error> {
        Http::deserialize(MapAccessDeserializer::new(table))
    }
}

impl Http {
    fn of(version: Version) -> Http {
        Http { version, connections: None, tls: None, request: None, stall_after: one_second() }
    }

    /// The connections of a user.
    fn connections(&self) -> u32 {
        if self.version == Version::One { self.connections.unwrap_or(POOL) } else { 1 }
    }

    /// The size of a request: with the headers as text, or compressed by HPACK or QPACK.
    fn request(&self) -> Bytes {
        let usual = if self.version == Version::One { 500 } else { 100 };
        self.request.unwrap_or(Bytes::new(usual))
    }

    fn check(&self, at: &Key) -> Checked {
        if let Some(connections) = self.connections {
            let at = at.then("connections");
            if self.version != Version::One {
                return Err(at.error("goes with version \"1.1\"; later versions have one connection"));
            }
            at.within(connections, MOST_CONNECTIONS)?;
        }
        if self.tls.is_some() && self.version == Version::Three {
            return Err(at
                .then("tls")
                .error("goes with versions \"1.1\" and \"2\"; the handshake of QUIC contains TLS"));
        }
        let request = self.request();
        if !(1..=LARGEST_REQUEST).contains(&request.get()) {
            let message = format!("found {request}; a request has 1 to {LARGEST_REQUEST} bytes");
            return Err(at.then("request").wrong(request, message));
        }
        Ok(())
    }
}

impl Kind for Browser {
    const NAME: &'static str = "browser";
    const ASKED_BY: &'static [&'static str] = &["page", "http"];

    fn traits(&self) -> Traits {
        let only_tcp = OnlyTcp { key: &["page"], cannot: "does not carry data both ways" };
        Traits {
            flows: self.http.connections(),
            is_two_way: true,
            only_tcp: Some(only_tcp),
            ..Traits::default()
        }
    }

    fn check(&self, at: &Key) -> Checked {
        check_thinking(at, self.think.as_ref(), self.think_first)?;
        self.patience.as_ref().map_or(Ok(()), |time| time.check(&at.then("patience")))?;
        self.http.check(&at.then("http"))?;
        self.page.check(&at.then("page"))
    }

    fn install(&self, stop: Time) -> Install {
        let Browser { page, http, think, think_first, patience } = self;
        let version = match http.version {
            Version::One => HttpVersion::One,
            Version::Two => HttpVersion::Two,
            Version::Three => HttpVersion::Three,
        };
        let config = BrowserConfig {
            page: page.graph(),
            http: version,
            connections: http.connections(),
            tls: http.version != Version::Three && http.tls.unwrap_or(true),
            request: http.request().get(),
            mss: 1,
            think: think.as_ref().map(Distribution::law),
            think_first: *think_first,
            patience: patience.as_ref().map(Distribution::law),
            stop,
        };
        let known: std::cell::OnceCell<Arc<BrowserConfig>> = std::cell::OnceCell::new();
        Box::new(move |at| {
            // All flows of a group have packets of one size.
            let config =
                known.get_or_init(|| Arc::new(BrowserConfig { mss: at.payload.get(), ..config.clone() }));
            Box::new(application::Browser::new(Arc::clone(config), at.random("browser"), at.start))
        })
    }
}

fn one_second() -> Duration {
    Duration::from_secs(1)
}
