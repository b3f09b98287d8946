//! The controllers of an algorithm's flows, from a specification of the registry.

use ackclock_congestion::{CongestionControl, Start};
use ackclock_policy::{FactoryError, Maker};

use crate::event::Event;
use crate::flow::Flow;

/// Makes the controllers of flows.
#[derive(Debug)]
pub struct Factory(Maker);

impl Factory {
    /// A factory of registered controllers, such as `cubic` or `hystart-linux+htcp`, or of a trained policy, given by
    /// its file name that ends in `.json`.
    ///
    /// # Errors
    /// When the registry has no such controller, Linux cannot carry what it needs, or the file holds no policy.
    pub fn of(spec: &str) -> Result<Factory, FactoryError> {
        let maker = Maker::of(spec)?;
        let needs = maker.make(&Start::default()).needs();
        if needs.explicit_feedback {
            return Err(FactoryError::new(format_args!(
                "{spec} does not run on Linux: it needs the feedback of routers, which Linux's packets do not carry"
            )));
        }
        if needs.accurate_ecn {
            return Err(FactoryError::new(format_args!(
                "{spec} does not run on Linux: it needs the number of marked packets, which Linux receivers report only to \
                 Linux's own dctcp"
            )));
        }
        Ok(Factory(maker))
    }

    /// A factory of the caller's own controllers.
    pub fn custom(make: impl Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync + 'static) -> Factory {
        Factory(Maker::custom(make))
    }

    /// Checks the kernel, the adapter and the controller by the contract of [`CongestionControl`]: a call that breaks
    /// it panics, and the flow continues as Reno.
    #[must_use]
    pub fn checked(self) -> Factory {
        Factory(self.0.checked())
    }

    /// The flow that a record of [`Kind::Start`](crate::Kind::Start) begins.
    pub fn flow(&self, event: &Event) -> Flow {
        Flow::new(self.0.make(&Flow::start(event)), event)
    }
}

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
