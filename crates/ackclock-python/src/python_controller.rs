//! A congestion controller written as a Python class, for teaching and experiments. It is some hundred times
//! slower.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs};
use ackclock_units::{PacketRate, Time};
use pyo3::intern;
use pyo3::prelude::*;

use crate::answers::{self, CWND, PACING_RATE, SSTHRESH, WAKE, number};
use crate::facts::{Shown, call_of, time};

/// The state that the controllers of a run share.
#[derive(Default)]
pub(crate) struct Shared {
    /// The first exception that any of them raised; the run ends with it.
    failure: Mutex<Option<PyErr>>,
    gauges: Mutex<BTreeSet<&'static str>>,
}

impl Shared {
    pub fn has_failed(&self) -> bool {
        self.failure.lock().is_ok_and(|failure| failure.is_some())
    }

    /// Keeps an exception if it is the first.
    pub fn fail(&self, error: PyErr) {
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(error);
        }
    }

    pub fn take_failure(&self) -> Option<PyErr> {
        self.failure.lock().ok().and_then(|mut failure| failure.take())
    }

    /// A gauge's name for as long as the program runs. None if a run has too many, since each stays in memory.
    fn gauge(&self, name: &str) -> Option<&'static str> {
        let mut gauges = self.gauges.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = gauges.get(name) {
            return Some(known);
        }
        (gauges.len() < MOST_GAUGES).then(|| {
            let name = interned(name);
            gauges.insert(name);
            name
        })
    }
}

/// Calls a Python object that has `on_ack`, `on_congestion` and `cwnd`. Its answers are stored, so that it
/// is called once per event. After an exception it is not called any more.
pub(crate) struct PythonController {
    object: Py<PyAny>,
    shared: Arc<Shared>,
    needs: Needs,
    decision: Decision,
    ssthresh: f64,
}

impl PythonController {
    pub fn new(object: Py<PyAny>, shared: Arc<Shared>) -> PythonController {
        let (decision, ssthresh) = (Decision::window(1.0), f64::INFINITY);
        let needs = Needs::stated(|_| false);
        let mut controller = PythonController { object, shared, needs, decision, ssthresh };
        let mut stated = Vec::new();
        controller.call("__init__", |_, object| {
            for (name, _) in Needs::FLAGS {
                stated.push((*name, answers::flag(object, name)?));
            }
            Ok(())
        });
        controller.needs = Needs::stated(|name| stated.contains(&(name, true)));
        controller
    }

    /// Acts on the object, then asks for its decision. `name` is the method that was called.
    pub fn call(&mut self, name: &str, act: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<()>) {
        if self.shared.has_failed() {
            return;
        }
        Python::attach(|py| {
            let object = self.object.bind(py).clone();
            if let Err(error) = act(py, &object).and_then(|()| self.consult(&object, name)) {
                self.shared.fail(error);
            }
        });
    }

    fn consult(&mut self, object: &Bound<'_, PyAny>, after: &str) -> PyResult<()> {
        let cwnd = number(object, &CWND, after)?.ok_or_else(|| no_window(object, after))?;
        let pacing_rate = number(object, &PACING_RATE, after)?.filter(|rate| *rate != f64::INFINITY);
        let wake = number(object, &WAKE, after)?.map(time);
        self.decision = Decision { cwnd, pacing_rate: pacing_rate.map(PacketRate), wake };
        self.ssthresh = number(object, &SSTHRESH, after)?.unwrap_or(f64::INFINITY);
        Ok(())
    }

    /// A deadline that passed and stays would come again for ever.
    fn require_later(&self, now: Time) {
        if self.shared.has_failed() || self.decision.wake.is_none_or(|wake| wake > now) {
            return;
        }
        Python::attach(|py| {
            let expected = format!("a time after {} s, which has passed, or None", now.as_secs_f64());
            let object = self.object.bind(py);
            let found = self.decision.wake.unwrap_or(now).as_secs_f64().into_pyobject(py);
            self.shared.fail(match found {
                Ok(found) => answers::wrong(object, "wake, after on_deadline", &found, &expected),
                Err(never) => match never {},
            });
        });
    }
}

fn no_window(object: &Bound<'_, PyAny>, after: &str) -> PyErr {
    let none = object.py().None();
    answers::wrong(object, &format!("cwnd, after {after}"), none.bind(object.py()), answers::CWND.expected)
}

impl CongestionControl for PythonController {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let facts = ack.show();
        self.call("on_ack", |_, object| answers::call(object, "on_ack", (facts,), "on_ack(self, ack)"));
        self.decision
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let facts = signal.show();
        self.call("on_congestion", |_, object| {
            answers::call(object, "on_congestion", (facts,), "on_congestion(self, event)")
        });
        self.decision
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        let (method, _) = event.call();
        self.call(method, |py, object| {
            let (method, arguments) = call_of(py, event)?;
            answers::call_if_any(object, method, arguments, &shape(method))
        });
        if let Event::Deadline { now } = event {
            self.require_later(*now);
        }
        self.decision
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        show_gauges(&self.object, &self.shared, gauge);
    }
}

/// Shows the gauges of an object of the caller's class.
pub(crate) fn show_gauges(object: &Py<PyAny>, shared: &Shared, gauge: &mut dyn FnMut(&'static str, f64)) {
    if shared.has_failed() {
        return;
    }
    let shown = Python::attach(|py| {
        let object = object.bind(py);
        let mut shown = Vec::new();
        for (name, value) in answers::gauges(object)? {
            shown.push((shared.gauge(&name).ok_or_else(|| too_many_gauges(object, &name))?, value));
        }
        Ok(shown)
    });
    match shown {
        Ok(values) => values.iter().for_each(|(name, value)| gauge(name, *value)),
        Err(error) => shared.fail(error),
    }
}

/// How a method of an event is written.
fn shape(method: &str) -> String {
    let kind = Event::KINDS.iter().find(|kind| kind.method == method);
    let arguments = kind.into_iter().flat_map(|kind| kind.arguments).map(|(name, _)| *name);
    format!("{method}({})", ["self"].into_iter().chain(arguments).collect::<Vec<_>>().join(", "))
}

impl Clone for PythonController {
    fn clone(&self) -> PythonController {
        let copied = Python::attach(|py| {
            let copy = py.import(intern!(py, "copy"))?;
            copy.call_method1(intern!(py, "deepcopy"), (&self.object,)).map(Bound::unbind)
        });
        let object = copied.unwrap_or_else(|error| {
            self.shared.fail(error);
            Python::attach(|py| self.object.clone_ref(py))
        });
        PythonController { object, shared: Arc::clone(&self.shared), ..*self }
    }
}

/// Names of gauges that a run can have.
const MOST_GAUGES: usize = 10_000;

/// A text that is never freed; each is stored once.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    name
}

fn too_many_gauges(object: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let expected = format!("at most {MOST_GAUGES} names of gauges, the same at each call");
    match name.into_pyobject(object.py()) {
        Ok(found) => answers::wrong(object, "observe", &found, &expected),
        Err(never) => match never {},
    }
}
