//! The applications of `[[flow]]`: the keys of a group select one.
//!
//! An application is a file in `applications/` with its keys, its check and the constructor of the
//! running application, and a line in the list below.

mod browser;
mod bulk;
mod file;
mod film;
mod kind;
mod on_off;
mod pages;
mod request_response;
mod think_and_send;

use std::sync::{Arc, LazyLock};

use ackclock_application::PageGraph;
use ackclock_catalogue::Entry;
use ackclock_units::{Duration, Time};
use serde::Deserialize;
use serde::de::MapAccess;
use serde_json::{Map, Value, json};

pub use browser::{Browser, Http, Version};
pub use bulk::Bulk;
pub use file::File;
pub use film::{Film, FilmKeys};
pub(in crate::traffic) use kind::check_spurts;
pub use kind::{FlowIdentity, Install};
pub use on_off::{OnOff, WriteRate};
pub use pages::Pages;
pub use request_response::{Request, RequestResponse, Response};
pub use think_and_send::ThinkAndSend;

use kind::{Kind, OnlyTcp, Traits};

use super::pool::Pool;
use crate::endpoints::algorithm;
use crate::read::error::{Checked, ScenarioError, clip};
use crate::read::flatten::{self, Part};
use crate::read::key::Key;
use crate::read::reader;

macro_rules! applications {
    ($($(#[$doc:meta])* $Kind:ident,)+) => {
        /// The application of a group of flows.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Application {
            $($(#[$doc])* $Kind($Kind),)+
        }

        impl Application {
            /// The application that the keys of a group select; `at` is the group's table.
            pub(crate) fn of(written: &Written, at: &Key) -> Result<Application, ScenarioError> {
                $(if written.asks_for::<$Kind>() {
                    return written.read(at).map(Application::$Kind);
                })+
                unreachable!("the last of the list needs no key")
            }

            /// Its name, as in [`ackclock_application::ENTRIES`].
            pub fn name(&self) -> &'static str {
                match self {
                    $(Application::$Kind(_) => $Kind::NAME,)+
                }
            }

            fn traits(&self) -> Traits {
                match self {
                    $(Application::$Kind(kind) => kind.traits(),)+
                }
            }

            /// Makes the applications of a group that writes nothing after `stop`.
            pub fn install(&self, stop: Time) -> Install {
                match self {
                    $(Application::$Kind(kind) => kind.install(stop),)+
                }
            }
        }

        /// The keys of each application by its name.
        static KEYS: LazyLock<Vec<(&str, &[&str])>> =
            LazyLock::new(|| vec![$(($Kind::NAME, flatten::keys_of::<$Kind>())),+]);
    };
}

// A group has the first application of which it has a key.
applications! {
    /// Users whose browsers load pages of objects that depend on each other.
    Browser,
    /// A viewer whose player fetches a film in segments over one connection.
    Film,
    /// A client that sends requests, and a server that answers them, over one connection.
    RequestResponse,
    /// Users who fetch pages over pools of connections.
    Pages,
    /// One file after another, with thinking in between.
    ThinkAndSend,
    /// One file.
    File,
    /// Data at a rate, or in spans.
    OnOff,
    /// A transfer without an end.
    Bulk,
}

impl Default for Application {
    fn default() -> Application {
        Application::Bulk(Bulk::default())
    }
}

/// The key for files of equal size, short for a constant `size`.
const PACKETS: &str = "packets";
const SIZE: &str = "size";

/// The keys of a group that belong to its application, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Written(Map<String, Value>);

impl Part for Written {
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, table: &mut A) -> Result<bool, A::Error> {
        let is_one = key == PACKETS || KEYS.iter().any(|(_, keys)| keys.contains(&key));
        if is_one {
            self.0.insert(key.to_owned(), table.next_value()?);
        }
        Ok(is_one)
    }
}

impl Written {
    /// The keys of all applications, each once.
    pub fn keys() -> Vec<&'static str> {
        let mut found = vec![PACKETS];
        for key in KEYS.iter().flat_map(|(_, keys)| keys.iter()) {
            if !found.contains(key) {
                found.push(key);
            }
        }
        found
    }

    fn asks_for<K: Kind>(&self) -> bool {
        K::ASKED_BY.is_empty() || K::ASKED_BY.iter().any(|key| self.0.contains_key(*key))
    }

    /// Reads the application that the keys select.
    fn read<K: Kind + for<'de> Deserialize<'de>>(&self, at: &Key) -> Result<K, ScenarioError> {
        let keys = Value::Object(self.keys_for(at, K::NAME, flatten::keys_of::<K>())?);
        let application: K =
            reader::read_below(&keys, at).map_err(|error| explained(error, at, K::entry(), &keys))?;
        application.check(at)?;
        Ok(application)
    }

    /// The keys for the application `name`, which has the keys `own`.
    fn keys_for(&self, at: &Key, name: &str, own: &[&str]) -> Result<Map<String, Value>, ScenarioError> {
        let of_size = own.contains(&SIZE);
        for key in self.0.keys() {
            let is_own = own.contains(&key.as_str()) || (of_size && key == PACKETS);
            if !is_own {
                return Err(at.then(key).error(misplaced(key, name)));
            }
        }
        let mut keys = self.0.clone();
        if let Some(packets) = keys.remove(PACKETS) {
            if keys.contains_key(SIZE) {
                return Err(at.then(SIZE).error("the size is given twice; \"packets\" is there too"));
            }
            keys.insert(SIZE.to_owned(), constant_size(&packets, &at.then(PACKETS))?);
        }
        Ok(keys)
    }
}

/// The error of a missing key with its meaning for the application.
fn explained(error: ScenarioError, at: &Key, application: &Entry, keys: &Value) -> ScenarioError {
    let mut required = application.keys.iter().filter(|key| key.required && keys.get(key.name).is_none());
    match required.find(|key| error.key.as_deref() == Some(&*at.then(key.name))) {
        Some(key) => {
            let message =
                format!("missing; the application {:?} needs it: {}", application.name, key.meaning);
            at.then(key.name).error(message)
        }
        None => error,
    }
}

/// The message about a key that does not belong to this application: it names the applications of
/// the key.
fn misplaced(key: &str, name: &str) -> String {
    let others =
        KEYS.iter().filter(|(_, keys)| keys.contains(&key) || key == PACKETS && keys.contains(&SIZE));
    let others: Vec<&str> = others.map(|(name, _)| *name).collect();
    format!("goes with the application {}; the other keys of this flow ask for {name}", others.join(" or "))
}

/// A size in packets as a distribution.
fn constant_size(packets: &Value, at: &Key) -> Result<Value, ScenarioError> {
    let packets: u64 = reader::read_below(packets, at)?;
    if packets == 0 {
        let message = "found 0; a file has at least 1 packet (leave the key out to send for ever)";
        return Err(at.wrong(0, message));
    }
    Ok(json!({ "constant": format!("{packets} packets") }))
}

impl Application {
    /// Refuses `algorithms` that cannot carry the application.
    pub(crate) fn check_algorithms<'a>(
        &self,
        at: &Key,
        mut algorithms: impl Iterator<Item = &'a str>,
        custom: &[String],
    ) -> Checked {
        let Some(OnlyTcp { key, cannot }) = self.traits().only_tcp else { return Ok(()) };
        let at = key.iter().fold(at.clone(), |at, key| at.then(key));
        match algorithms.find(|name| !algorithm::is_tcp(name, custom)) {
            None => Ok(()),
            Some(name) => Err(at.wrong(clip(name), format!("{name} {cannot}; only TCP does"))),
        }
    }

    /// The number of its flows.
    pub fn flows(&self) -> u32 {
        self.traits().flows
    }

    /// True if data goes both ways.
    pub fn is_two_way(&self) -> bool {
        self.traits().is_two_way
    }

    /// True if the end that opens the connection is the one to which data goes.
    pub fn is_fetched(&self) -> bool {
        matches!(self, Application::Film(_))
    }

    /// The film of its viewers; none for other applications.
    pub fn film(&self) -> Option<&FilmKeys> {
        match self {
            Application::Film(film) => Some(&film.film),
            _ => None,
        }
    }

    /// True if it sends files, each of which is a transfer with an end.
    pub fn sends_files(&self) -> bool {
        self.traits().sends_files
    }

    /// True if it opens one connection after another.
    pub fn reopens(&self) -> bool {
        self.traits().reopens
    }

    /// True if it writes again and again to one connection that stays open.
    pub fn stays_open(&self) -> bool {
        self.traits().stays_open
    }

    /// True if its flows are the connections of users.
    pub fn has_users(&self) -> bool {
        self.stall_after().is_some()
    }

    /// The time without new data that is a stall of its users; none for a group of flows.
    pub fn stall_after(&self) -> Option<Duration> {
        match self {
            Application::Pages(pages) => Some(pages.pool.stall_after),
            Application::Browser(browser) => Some(browser.http.stall_after),
            _ => None,
        }
    }

    /// The page that its users load; none for other users, whose pages are drawn.
    pub fn page(&self) -> Option<Arc<PageGraph>> {
        match self {
            Application::Browser(browser) => Some(browser.page.graph()),
            _ => None,
        }
    }

    /// The pool of its users' connections; none for a group of flows.
    pub fn pool(&self) -> Option<&Pool> {
        match self {
            Application::Pages(pages) => Some(&pages.pool),
            _ => None,
        }
    }
}
