//! Connections of quinn and noq, with TLS, in the simulated network.

mod epoch;
mod noq;
mod qlog;
mod quinn;
pub(crate) mod tls;

use ackclock_simulation::stack::{StackConnection, StackSetup, Stacks};
use ackclock_transport::Stack;

use tls::Certificate;

/// The stacks of simulated flows with `stack = "quinn"` or `stack = "noq"`.
#[derive(Debug, Default)]
pub struct SimulatedStacks {
    certificate: Certificate,
    is_checked: bool,
}

impl SimulatedStacks {
    /// Stacks whose servers have this certificate.
    #[cfg(feature = "sockets")]
    pub(crate) fn with(certificate: Certificate) -> SimulatedStacks {
        SimulatedStacks { certificate, is_checked: false }
    }

    /// Checks stacks and controllers by the contract of controllers: a call that breaks it panics.
    /// For tests.
    #[must_use]
    pub fn checked(self) -> SimulatedStacks {
        SimulatedStacks { is_checked: true, ..self }
    }
}

impl Stacks for SimulatedStacks {
    fn connect(&self, setup: StackSetup) -> Box<dyn StackConnection> {
        match setup.stack {
            Stack::Quinn => Box::new(quinn::Pair::new(setup, &self.certificate, self.is_checked)),
            Stack::Noq => Box::new(noq::Pair::new(setup, &self.certificate, self.is_checked)),
        }
    }
}
