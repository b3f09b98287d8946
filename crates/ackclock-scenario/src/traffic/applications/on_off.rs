//! Data at a rate, or as much as the transport takes, always or in spans.

use std::fmt;
use std::str::FromStr;

use ackclock_application::{self as application, Activity, Spacing, Spurts};
use ackclock_units::{Duration, ParseQuantityError, Rate, Time};
use serde::Deserialize;

use super::kind::{Install, Kind, OnlyTcp, Traits, check_spurts};
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::quantity::{self, Quantity, wrong};
use crate::values::distribution::Distribution;
use crate::values::schedule::Text;
use crate::values::spans::Spans;

/// A source that writes at a rate, or as much as the transport takes, always or in spans.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OnOff {
    /// The rate of payload while it is active.
    #[serde(deserialize_with = "quantity::read")]
    pub write_rate: WriteRate,
    /// The spans in which it is active, counted from its start; always if omitted.
    pub active: Option<Spans>,
    /// The length of spans in which it is active, instead.
    pub on: Option<Distribution<Duration>>,
    /// The length of the silences between them; given if and only if `on` is.
    pub off: Option<Distribution<Duration>>,
}

/// The rate at which a source writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteRate {
    /// As much as the transport takes: `"unlimited"`.
    Unlimited,
    /// Payload: `"2 Mbit/s"`.
    Rate(Rate),
}

impl Quantity for WriteRate {
    const WHAT: &'static str = "a rate";
    const EXAMPLE: &'static str = "2 Mbit/s";
}

impl FromStr for WriteRate {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<WriteRate, ParseQuantityError> {
        if text.trim() == "unlimited" {
            return Ok(WriteRate::Unlimited);
        }
        text.parse()
            .map(WriteRate::Rate)
            .map_err(|_| wrong(text, "a rate such as \"2 Mbit/s\", or \"unlimited\""))
    }
}

impl fmt::Display for WriteRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteRate::Unlimited => f.write_str("unlimited"),
            WriteRate::Rate(rate) => rate.fmt(f),
        }
    }
}

impl Kind for OnOff {
    const NAME: &'static str = "on-off";
    const ASKED_BY: &'static [&'static str] = &["write_rate", "active", "on", "off"];

    fn traits(&self) -> Traits {
        let only_tcp = OnlyTcp { key: &["write_rate"], cannot: "does not take data bit by bit" };
        Traits { stays_open: true, only_tcp: Some(only_tcp), ..Traits::default() }
    }

    fn check(&self, at: &Key) -> Checked {
        if let WriteRate::Rate(rate) = self.write_rate {
            at.then("write_rate").rate(rate)?;
        }
        self.active.as_ref().map_or(Ok(()), |active| active.check_activity(&at.then("active")))?;
        check_spurts(at, "spans of activity", self.on.as_ref(), self.off.as_ref())?;
        if self.active.is_some() && self.on.is_some() {
            return Err(at.then("on").error("the spans are given twice; \"active\" is there too"));
        }
        Ok(())
    }

    fn install(&self, stop: Time) -> Install {
        let OnOff { write_rate, active, on, off } = self;
        let write_rate = *write_rate;
        let given = active.as_ref().map(|active| {
            let spans = active.spans.iter().flatten().map(|(Text(from), Text(until))| (*from, *until));
            Activity::Given { spans: spans.collect(), every: active.every }
        });
        let drawn = on.as_ref().zip(off.as_ref()).map(|(on, off)| (on.law(), off.law()));
        Box::new(move |at| {
            let spacing = match write_rate {
                WriteRate::Unlimited => None,
                WriteRate::Rate(rate) => Some(Spacing::constant(rate, at.payload)),
            };
            let activity = match &drawn {
                Some((on, off)) => {
                    let spurts = Spurts::new(on.clone(), off.clone(), at.random("spans"), at.start);
                    Activity::Drawn(Box::new(spurts))
                }
                None => given.clone().unwrap_or(Activity::Always),
            };
            Box::new(application::OnOff::new((at.start, stop), spacing, activity))
        })
    }
}
