//! The controllers of an algorithm's flows, from a specification of the registry.

use std::fmt;
use std::sync::Arc;

use ackclock_congestion::conformance::checked;
use ackclock_congestion::learning;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{CongestionControl, Start};

use crate::event::Event;
use crate::flow::Flow;

type Make = dyn Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync;

/// Makes the controllers of flows.
pub struct Factory {
    make: Box<Make>,
    is_checked: bool,
}

impl Factory {
    /// A factory of registered controllers, such as `cubic` or `hystart-linux+htcp`, or of a trained policy, as the name of its file,
    /// which ends in `.json`.
    ///
    /// # Errors
    /// When the registry has no such controller, Linux cannot carry what it needs, or the file holds no policy.
    pub fn of(spec: &str) -> Result<Factory, FactoryError> {
        if ackclock_policy::is_file(spec) {
            let policy = Arc::new(ackclock_policy::read(spec).map_err(FactoryError)?);
            return Ok(Factory::custom(move |start| learning::controller(Arc::clone(&policy), start)));
        }
        let parsed: ControllerSpec = spec
            .parse()
            .map_err(|error: <ControllerSpec as std::str::FromStr>::Err| FactoryError(error.to_string()))?;
        let needs = parsed.build(&Start::default()).needs();
        if needs.explicit_feedback {
            return Err(FactoryError(format!(
                "{spec} does not run on Linux: it needs the feedback of routers, which Linux's packets do not carry"
            )));
        }
        if needs.accurate_ecn {
            return Err(FactoryError(format!(
                "{spec} does not run on Linux: it needs the number of marked packets, which Linux receivers report only to \
                 Linux's own dctcp"
            )));
        }
        Ok(Factory::custom(move |start| parsed.build(start)))
    }

    /// A factory of controllers of the caller's own.
    pub fn custom(make: impl Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync + 'static) -> Factory {
        Factory { make: Box::new(make), is_checked: false }
    }

    /// Holds kernel, adapter and controller to the contract of [`CongestionControl`]: a call that breaks it panics, and the flow
    /// goes on as Reno.
    #[must_use]
    pub fn checked(self) -> Factory {
        Factory { is_checked: true, ..self }
    }

    /// The flow that a record of [`Kind::Start`](crate::Kind::Start) begins.
    pub fn flow(&self, event: &Event) -> Flow {
        let controller = (self.make)(&Flow::start(event));
        Flow::new(if self.is_checked { checked(controller).0 } else { controller }, event)
    }
}

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factory").field("is_checked", &self.is_checked).finish_non_exhaustive()
    }
}

/// The refusal of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactoryError(String);

impl fmt::Display for FactoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FactoryError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_cannot_carry_is_refused_with_a_sentence() {
        let refusal = |spec: &str| Factory::of(spec).unwrap_err().to_string();
        assert!(refusal("dctcp").contains("number of marked packets"));
        assert!(refusal("htpc").contains("htcp"), "the nearest name");
        assert!(Factory::of("bbr3").is_ok());
        assert!(refusal("missing.json").starts_with("missing.json: No such file"));
    }
}
