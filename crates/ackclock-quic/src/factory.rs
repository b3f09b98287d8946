//! Factories of controllers, from specifications of the registry.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_congestion::{CongestionControl, Start};
use ackclock_policy::{FactoryError, Maker};
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
/// When the registry has no such controller, or one of the enabled stacks cannot carry what it needs. [`Factory::of`]
/// checks only one stack.
pub fn factory(spec: &str) -> Result<Arc<Factory>, FactoryError> {
    ENABLED.iter().try_for_each(|stack| Factory::of(*stack, spec).map(|_| ()))?;
    Ok(Arc::new(Factory::with(Maker::of(spec)?)))
}

/// Makes the controllers of a stack's connections.
pub struct Factory {
    maker: Maker,
    start: Start,
    /// The controllers made, if they are watched.
    watches: Option<Mutex<Vec<Watch>>>,
}

impl Factory {
    /// A factory of registered controllers for one stack, or of a trained policy, given by its file name that ends in
    /// `.json`.
    ///
    /// # Errors
    /// When the registry has no such controller, the stack cannot carry what it needs, or the file holds no policy.
    pub fn of(stack: Stack, spec: &str) -> Result<Factory, FactoryError> {
        let maker = Maker::of(spec)?;
        let refuse = |reason| FactoryError::new(format_args!("{spec} does not run on {stack}: {reason}"));
        stack.carries(&maker.make(&START).needs()).map_err(refuse)?;
        Ok(Factory::with(maker))
    }

    /// A factory of the caller's own controllers.
    pub fn custom(make: impl Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync + 'static) -> Factory {
        Factory::with(Maker::custom(make))
    }

    fn with(maker: Maker) -> Factory {
        Factory { maker, start: START, watches: None }
    }

    /// Sets the windows with which connections begin, instead of RFC 9002's.
    #[must_use]
    pub fn starting_with(self, start: Start) -> Factory {
        Factory { start, ..self }
    }

    /// Checks stack and controller by the contract of [`CongestionControl`]: a call that breaks it panics. For tests.
    #[must_use]
    pub fn checked(self) -> Factory {
        Factory { maker: self.maker.checked(), ..self }
    }

    /// Lets each controller answer from a thread of its own, and its connection go on as Reno where an answer takes longer than
    /// 200 ms. For controllers that might not return; a call costs some microseconds more, and its outcome depends on the host's clock.
    #[must_use]
    pub fn supervised(self) -> Factory {
        Factory { maker: self.maker.supervised(), ..self }
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
        let watch = Watch::new(Ledger::new(self.maker.make(&self.start), mtu));
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
