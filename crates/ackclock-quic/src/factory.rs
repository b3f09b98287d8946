//! Factories of controllers, from specifications of the registry.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_congestion::conformance::checked;
use ackclock_congestion::learning;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{CongestionControl, Start};
use ackclock_transport::Stack;

use crate::ledger::Ledger;
use crate::watch::Watch;

/// RFC 9002, 7.2: ten datagrams to begin with, two after persistent congestion.
const START: Start = Start { initial_window: 10.0, initial_ssthresh: f64::INFINITY, restart_window: 2.0 };

/// The stacks whose adapters are compiled in.
const ENABLED: &[Stack] = &[
    #[cfg(feature = "quinn")]
    Stack::Quinn,
    #[cfg(feature = "noq")]
    Stack::Noq,
];

/// A factory for `TransportConfig::congestion_controller_factory` of each enabled stack, from a specification of the
/// registry such as `cubic` or `limited(max_ssthresh=100)+htcp`, or from the file of a trained policy, such as `learnt.json`.
///
/// # Errors
/// When the registry has no such controller, or one of the enabled stacks cannot carry what it needs;
/// [`Factory::of`] asks of one stack alone.
pub fn factory(spec: &str) -> Result<Arc<Factory>, FactoryError> {
    ENABLED.iter().try_for_each(|stack| Factory::of(*stack, spec).map(|_| ()))?;
    Ok(Arc::new(Factory::parse(spec)?))
}

/// Makes a controller that begins with a window.
type Make = dyn Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync;

/// Makes the controllers of a stack's connections.
pub struct Factory {
    make: Box<Make>,
    start: Start,
    is_checked: bool,
    /// The controllers made, where they are watched.
    watches: Option<Mutex<Vec<Watch>>>,
}

impl Factory {
    /// A factory of registered controllers for one stack, or of a trained policy, as the name of its file, which ends in `.json`.
    ///
    /// # Errors
    /// When the registry has no such controller, the stack cannot carry what it needs, or the file holds no policy.
    pub fn of(stack: Stack, spec: &str) -> Result<Factory, FactoryError> {
        let factory = Factory::parse(spec)?;
        let needs = (factory.make)(&START).needs();
        let refuse = |reason| FactoryError(format!("{spec} does not run on {stack}: {reason}"));
        stack.carries(&needs).map_err(refuse)?;
        Ok(factory)
    }

    /// A factory of controllers of the caller's own.
    pub fn custom(make: impl Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync + 'static) -> Factory {
        Factory { make: Box::new(make), start: START, is_checked: false, watches: None }
    }

    fn parse(spec: &str) -> Result<Factory, FactoryError> {
        if ackclock_policy::is_file(spec) {
            let policy = Arc::new(ackclock_policy::read(spec).map_err(FactoryError)?);
            return Ok(Factory::custom(move |start| learning::controller(Arc::clone(&policy), start)));
        }
        let spec: ControllerSpec = spec
            .parse()
            .map_err(|error: <ControllerSpec as std::str::FromStr>::Err| FactoryError(error.to_string()))?;
        Ok(Factory::custom(move |start| spec.build(start)))
    }

    /// The windows to begin with, in place of RFC 9002's.
    #[must_use]
    pub fn starting_with(self, start: Start) -> Factory {
        Factory { start, ..self }
    }

    /// Holds stack and controller to the contract of [`CongestionControl`]: a call that breaks it panics. For tests.
    #[must_use]
    pub fn checked(self) -> Factory {
        Factory { is_checked: true, ..self }
    }

    /// Keeps a [`Watch`] of every controller made, for [`Self::watches`].
    #[must_use]
    pub fn watched(self) -> Factory {
        Factory { watches: Some(Mutex::default()), ..self }
    }

    /// The controllers made so far, in order; none unless [`Self::watched`].
    pub fn watches(&self) -> Vec<Watch> {
        let watches = self.watches.as_ref();
        watches
            .map_or_else(Vec::new, |watches| watches.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Makes the controller of a connection with datagrams of `mtu` bytes of UDP payload.
    pub fn make(&self, mtu: u16) -> Watch {
        let controller = (self.make)(&self.start);
        let controller = if self.is_checked { checked(controller).0 } else { controller };
        let watch = Watch::new(Ledger::new(controller, mtu));
        if let Some(watches) = &self.watches {
            watches.lock().unwrap_or_else(PoisonError::into_inner).push(watch.clone());
        }
        watch
    }
}

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factory").field("start", &self.start).finish_non_exhaustive()
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
    fn what_a_stack_cannot_carry_is_refused_with_a_sentence() {
        let refusal = |stack, spec| Factory::of(stack, spec).unwrap_err().to_string();
        assert_eq!(
            refusal(Stack::Noq, "dctcp"),
            "dctcp does not run on noq: it needs the number of marked packets, and noq tells its controller only that \
             there are marks"
        );
        assert!(refusal(Stack::Quinn, "bbr3").contains("takes no rate"));
        assert!(Factory::of(Stack::Noq, "bbr3").is_ok());
        assert!(refusal(Stack::Quinn, "htpc").contains("htcp"), "the nearest name");
    }

    #[test]
    fn windows_begin_as_in_rfc_9002() {
        let factory = Factory::of(Stack::Quinn, "cubic").unwrap().watched();
        let watch = factory.make(1200);
        assert!((watch.decision().cwnd - 10.0).abs() < 1e-9);
        assert_eq!(factory.watches().len(), 1);
    }
}
