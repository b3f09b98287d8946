//! The interface of an application: its keys are its fields; it checks them and makes the running
//! application.

use ackclock_application as application;
use ackclock_catalogue::{Entry, find};
use ackclock_random::RandomStream;
use ackclock_units::{Bytes, Duration, Time};

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::values::distribution::Distribution;

/// Makes the application of one flow of a group, or of one user.
pub type Install = Box<dyn Fn(&FlowIdentity<'_>) -> Box<dyn application::Application> + Send>;

/// The flow or the user for which an application is made.
pub struct FlowIdentity<'a> {
    /// The seed of all random streams of the run.
    pub seed: u64,
    /// The name of its flow or user, which no other has.
    pub name: &'a str,
    /// The time at which the flow or user begins.
    pub start: Time,
    /// The payload of a full packet.
    pub payload: Bytes,
}

impl FlowIdentity<'_> {
    /// Its own random stream for this purpose.
    pub(crate) fn random(&self, purpose: &str) -> RandomStream {
        RandomStream::new(self.seed, &format!("{purpose} {}", self.name))
    }
}

/// The properties of an application on which other parts of a scenario depend.
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub(crate) struct Traits {
    /// The number of its flows.
    pub flows: u32,
    /// True if data goes both ways.
    pub is_two_way: bool,
    /// True if it sends files, each of which is a transfer with an end.
    pub sends_files: bool,
    /// True if it opens one connection after another.
    pub reopens: bool,
    /// True if it writes again and again to one connection that stays open.
    pub stays_open: bool,
    /// The need of the application that only TCP meets, if it has one.
    pub only_tcp: Option<OnlyTcp>,
}

/// A need of an application that only TCP meets.
pub(crate) struct OnlyTcp {
    /// The key that asks for it, below the group's table.
    pub key: &'static [&'static str],
    /// The capability that other transports lack.
    pub cannot: &'static str,
}

impl Default for Traits {
    /// One flow with data one way, over one connection, without an end.
    fn default() -> Traits {
        Traits {
            flows: 1,
            is_two_way: false,
            sends_files: false,
            reopens: false,
            stays_open: false,
            only_tcp: None,
        }
    }
}

/// An application that keys of a `[[flow]]` select.
pub(crate) trait Kind {
    /// Its name in [`ackclock_application::ENTRIES`].
    const NAME: &'static str;

    /// The keys any of which selects it; none for the application of groups without such a key.
    const ASKED_BY: &'static [&'static str];

    /// The properties on which other parts of the scenario depend.
    fn traits(&self) -> Traits;

    /// Refuses values that no run can have; `at` is the group's table.
    fn check(&self, at: &Key) -> Checked;

    /// Makes the applications of a group that writes nothing after `stop`.
    fn install(&self, stop: Time) -> Install;

    /// Its entry in the catalogue.
    fn entry() -> &'static Entry
    where
        Self: Sized,
    {
        find(application::ENTRIES, Self::NAME).expect("an application of a scenario has an entry")
    }
}

/// Refuses spans of activity without the silences between them, the other way round, and lengths that cannot be drawn; `spans`
/// are what the source has.
pub(in crate::traffic) fn check_spurts(
    at: &Key,
    spans: &str,
    on: Option<&Distribution<Duration>>,
    off: Option<&Distribution<Duration>>,
) -> Checked {
    for (name, other, lengths) in [("on", "off", on), ("off", "on", off)] {
        let Some(lengths) = lengths else { continue };
        lengths.check(&at.then(name))?;
        if on.is_none() || off.is_none() {
            return Err(at.then(other).error(format!("missing; {spans} have silences between them")));
        }
    }
    Ok(())
}

/// Refuses invalid times to think, and `think_first` without a time to think.
pub(super) fn check_thinking(at: &Key, think: Option<&Distribution<Duration>>, think_first: bool) -> Checked {
    match think {
        Some(time) => time.check(&at.then("think")),
        None if think_first => Ok(()),
        None => Err(at.then("think_first").error("found false without \"think\"; this flow does not think")),
    }
}

pub(super) fn yes() -> bool {
    true
}
