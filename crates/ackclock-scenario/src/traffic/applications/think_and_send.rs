//! One file after another, with thinking in between.

use std::sync::Arc;

use ackclock_application::{self as application, ThinkConfig};
use ackclock_units::{Duration, Time};
use serde::Deserialize;

use super::kind::{Install, Kind, Traits, yes};
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::values::distribution::Distribution;
use crate::values::packets::Packets;

/// One file after another to the end of the run, with thinking in between.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ThinkAndSend {
    /// The number of packets, drawn for each file and rounded up to a whole packet.
    pub size: Distribution<Packets>,
    /// The time to think before a file.
    pub think: Distribution<Duration>,
    /// True if the source thinks before its first file, too; otherwise the first file begins at the
    /// start.
    #[serde(default = "yes")]
    pub think_first: bool,
    /// The time from the request for a file after which it is given up; without one it never is.
    pub patience: Option<Distribution<Duration>>,
}

impl Kind for ThinkAndSend {
    const NAME: &'static str = "think-and-send";
    const ASKED_BY: &'static [&'static str] = &["think"];

    fn traits(&self) -> Traits {
        Traits { sends_files: true, reopens: true, ..Traits::default() }
    }

    fn check(&self, at: &Key) -> Checked {
        self.size.check(&at.then("size"))?;
        self.patience.as_ref().map_or(Ok(()), |time| time.check(&at.then("patience")))?;
        self.think.check(&at.then("think"))
    }

    fn install(&self, stop: Time) -> Install {
        let config = Arc::new(ThinkConfig {
            size: self.size.law(),
            think: self.think.law(),
            think_first: self.think_first,
            patience: self.patience.as_ref().map(Distribution::law),
            stop,
        });
        Box::new(move |at| {
            Box::new(application::ThinkAndSend::new(Arc::clone(&config), at.random("files"), at.start))
        })
    }
}
