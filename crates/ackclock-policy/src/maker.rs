//! The controllers of an algorithm's connections, for drivers that name algorithms in text.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ackclock_congestion::conformance::checked;
use ackclock_congestion::learning;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{CongestionControl, Start};

use crate::supervised::Supervised;

type Make = dyn Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync;

/// Makes controllers of one algorithm.
pub struct Maker {
    make: Box<Make>,
    is_checked: bool,
    is_supervised: bool,
}

impl Maker {
    /// A maker of registered controllers, such as `cubic` or `hystart-linux+htcp`, or of a trained policy,
    /// given by its file name that ends in `.json`.
    ///
    /// # Errors
    /// When the registry has no such controller, or the file holds no policy.
    pub fn of(spec: &str) -> Result<Maker, FactoryError> {
        if crate::is_file(spec) {
            let policy = Arc::new(crate::read(spec).map_err(FactoryError::new)?);
            return Ok(Maker::custom(move |start| learning::controller(Arc::clone(&policy), start)));
        }
        let spec = ControllerSpec::from_str(spec).map_err(FactoryError::new)?;
        Ok(Maker::custom(move |start| spec.build(start)))
    }

    /// A maker of the caller's own controllers.
    pub fn custom(make: impl Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync + 'static) -> Maker {
        Maker { make: Box::new(make), is_checked: false, is_supervised: false }
    }

    /// Checks driver and controller by the contract of [`CongestionControl`]: a call that breaks it
    /// panics.
    #[must_use]
    pub fn checked(self) -> Maker {
        Maker { is_checked: true, ..self }
    }

    /// Lets each controller answer from a thread of its own, and its connection go on as Reno where an answer takes longer than
    /// 200 ms. For controllers that might not return; a call costs some microseconds more, and its outcome depends on the host's clock.
    #[must_use]
    pub fn supervised(self) -> Maker {
        Maker { is_supervised: true, ..self }
    }

    /// A controller that begins with these windows.
    pub fn make(&self, start: &Start) -> Box<dyn CongestionControl> {
        let controller = (self.make)(start);
        let controller = if self.is_checked { checked(controller).0 } else { controller };
        if self.is_supervised { Supervised::boxed(controller, start) } else { controller }
    }
}

impl fmt::Debug for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Maker").field("is_checked", &self.is_checked).finish_non_exhaustive()
    }
}

/// The refusal of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactoryError(String);

impl FactoryError {
    /// A refusal with this reason.
    pub fn new(reason: impl fmt::Display) -> FactoryError {
        FactoryError(reason.to_string())
    }
}

impl fmt::Display for FactoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FactoryError {}
