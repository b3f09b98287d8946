//! Users who fetch pages over pools of connections.

use std::sync::Arc;

use ackclock_application::{self as application, PagesConfig};
use ackclock_units::{Duration, Time};
use serde::Deserialize;

use super::kind::{Install, Kind, OnlyTcp, Traits, check_thinking, yes};
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::traffic::pool::Pool;
use crate::values::distribution::Distribution;
use crate::values::packets::Packets;

/// Users who fetch pages over pools of connections; each flow is one user.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Pages {
    /// The connections of a user and the objects of a page.
    pub pool: Pool,
    /// The number of packets, drawn for each object and rounded up to a whole packet.
    pub size: Distribution<Packets>,
    /// The time to think before a page; none for users of one page.
    pub think: Option<Distribution<Duration>>,
    /// True if users think before the first page too.
    #[serde(default = "yes")]
    pub think_first: bool,
}

impl Kind for Pages {
    const NAME: &'static str = "pages";
    const ASKED_BY: &'static [&'static str] = &["pool"];

    fn traits(&self) -> Traits {
        let only_tcp =
            OnlyTcp { key: &["pool", "persistent"], cannot: "does not fetch one object after another" };
        Traits {
            flows: self.pool.connections,
            sends_files: true,
            reopens: true,
            only_tcp: self.pool.persistent.then_some(only_tcp),
            ..Traits::default()
        }
    }

    fn check(&self, at: &Key) -> Checked {
        check_thinking(at, self.think.as_ref(), self.think_first)?;
        self.pool.check(&at.then("pool"))?;
        self.size.check(&at.then("size"))
    }

    fn install(&self, stop: Time) -> Install {
        let Pages { pool, size, think, think_first } = self;
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
        Box::new(move |at| {
            Box::new(application::Pages::new(Arc::clone(&config), at.random("pages"), at.start))
        })
    }
}
