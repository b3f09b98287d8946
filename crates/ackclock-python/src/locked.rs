//! A lock around the objects that Python drives, so that any Python thread may call them.

use std::sync::{Mutex, PoisonError};

/// An object that Python may hand to another thread. The lock makes that safe; calls come one at a time, so it is never
/// contended.
pub(crate) struct Locked<T>(Mutex<T>);

impl<T> Locked<T> {
    pub(crate) fn new(inner: T) -> Locked<T> {
        Locked(Mutex::new(inner))
    }

    pub(crate) fn change(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ask<A>(&self, question: impl FnOnce(&T) -> A) -> A {
        question(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
