//! One file.

use ackclock_application as application;
use ackclock_units::{Duration, Time};
use serde::Deserialize;

use super::kind::{Install, Kind, Traits};
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::values::distribution::Distribution;
use crate::values::packets::Packets;

/// One file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct File {
    /// The number of packets, drawn for each file and rounded up to a whole packet.
    pub size: Distribution<Packets>,
    /// The time after which it is given up; without one it never is.
    pub patience: Option<Distribution<Duration>>,
}

impl File {
    /// A file of this size that is never given up.
    pub fn of(size: Distribution<Packets>) -> File {
        File { size, patience: None }
    }
}

impl Kind for File {
    const NAME: &'static str = "file";
    const ASKED_BY: &'static [&'static str] = &["packets", "size"];

    fn traits(&self) -> Traits {
        Traits { sends_files: true, ..Traits::default() }
    }

    fn check(&self, at: &Key) -> Checked {
        self.size.check(&at.then("size"))?;
        self.patience.as_ref().map_or(Ok(()), |time| time.check(&at.then("patience")))
    }

    fn install(&self, stop: Time) -> Install {
        let (size, patience) = (self.size.law(), self.patience.as_ref().map(Distribution::law));
        Box::new(move |at| {
            let random = || at.random("files");
            Box::new(application::File::new(&size, patience.as_ref(), random, at.start, stop))
        })
    }
}
