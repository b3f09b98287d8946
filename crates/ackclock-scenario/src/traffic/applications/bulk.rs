//! A transfer without an end.

use ackclock_application as application;
use ackclock_units::Time;
use serde::Deserialize;

use super::kind::{Install, Kind, Traits};
use crate::read::error::Checked;
use crate::read::key::Key;

/// A transfer without an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Bulk {}

impl Kind for Bulk {
    const NAME: &'static str = "bulk";
    const ASKED_BY: &'static [&'static str] = &[];

    fn traits(&self) -> Traits {
        Traits::default()
    }

    fn check(&self, _: &Key) -> Checked {
        Ok(())
    }

    fn install(&self, stop: Time) -> Install {
        Box::new(move |at| Box::new(application::Bulk { start: at.start, stop }))
    }
}
