//! A Python class in the place of a slow start or of an avoidance: it moves a window that is not its own.

use std::sync::Arc;

use ackclock_congestion::{Ack, Avoidance, Congestion, CongestionControl as _, Needs, SlowStart, Window};
use pyo3::prelude::*;

use crate::answers;
use crate::python_controller::{PythonController, Shared};

/// Calls an object as a controller, after its `cwnd` and `ssthresh` are set to those of the connection. It has no rate,
/// no deadlines, and no say in restarts, which belong to both parts.
#[derive(Clone)]
pub(crate) struct PythonPart {
    object: PythonController,
    shared: Arc<Shared>,
}

impl PythonPart {
    pub fn new(object: Py<PyAny>, shared: &Arc<Shared>) -> PythonPart {
        let shared = Arc::clone(shared);
        PythonPart { object: PythonController::new(object, Arc::clone(&shared)), shared }
    }

    /// Lets the object answer an acknowledgment.
    fn answer(&mut self, ack: &Ack, window: &mut Window) {
        self.give(*window);
        self.object.on_ack(ack);
        self.take(window);
    }

    fn give(&mut self, window: Window) {
        self.object.call("on_ack", |_, object| {
            for (name, value) in [("cwnd", window.cwnd), ("ssthresh", window.ssthresh)] {
                let expected =
                    "an attribute that can be set, since the class is a slow start or an avoidance";
                object
                    .setattr(name, value)
                    .map_err(|error| answers::misuse(object, name, error, expected))?;
            }
            Ok(())
        });
    }

    /// The window that the object asks for, unless it failed.
    fn take(&self, window: &mut Window) {
        if !self.shared.has_failed() {
            *window = Window { cwnd: self.object.decision().cwnd, ssthresh: self.object.ssthresh() };
        }
    }
}

impl SlowStart for PythonPart {
    fn begin(&mut self, window: &mut Window) {
        if !self.shared.has_failed() {
            window.cwnd = self.object.decision().cwnd.max(1.0);
        }
    }

    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if window.cwnd < window.ssthresh && !ack.may_grow() {
            self.answer(ack, window);
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        self.answer(ack, window);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.object.on_congestion(event);
    }

    /// Its windows are set before each call.
    fn scale(&mut self, _: f64) {}

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.object.observe(gauge);
    }
}

impl Avoidance for PythonPart {
    fn needs(&self) -> Needs {
        self.object.needs()
    }

    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if window.cwnd >= window.ssthresh && !ack.may_grow() {
            self.answer(ack, window);
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        self.answer(ack, window);
    }

    /// The class keeps its threshold, or its window if it has no threshold.
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        self.give(Window { cwnd: used, ssthresh: f64::INFINITY });
        let decision = self.object.on_congestion(event);
        let threshold = self.object.ssthresh();
        match (self.shared.has_failed(), threshold.is_finite()) {
            (true, _) => used,
            (false, true) => threshold,
            (false, false) => decision.cwnd,
        }
    }

    fn scale(&mut self, _: f64) {}

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.object.observe(gauge);
    }
}
