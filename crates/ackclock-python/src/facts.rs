//! A controller's facts in Python: a class for each declared record, with times in seconds and windows in packets.
//! The classes serve controllers in Python and callers of compiled ones. The package documents them as protocols
//! (`ackclock.Ack`), and `reference/facts.py` has them as dataclasses; a test compares both with [`declared`].

use ackclock_catalogue::{advice, nearest};
use ackclock_congestion::{Event, Field, Kind, LossSample, Needs, RateSample, Record, Signal};
use ackclock_units::{Duration, PacketRate, Time};
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A fact as a value of Python.
pub(crate) trait Shown: Copy {
    /// The type that becomes a value of Python.
    type Shown: for<'py> IntoPyObject<'py>;

    fn show(self) -> Self::Shown;

    /// Reads a fact from a value of Python.
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

/// Facts that are numbers and flags in Python.
macro_rules! plain {
    ($($fact:ty as $shown:ty: $show:expr, $read:expr;)*) => {$(
        impl Shown for $fact {
            type Shown = $shown;

            fn show(self) -> $shown {
                let show: fn($fact) -> $shown = $show;
                show(self)
            }

            fn read(value: &Bound<'_, PyAny>) -> PyResult<$fact> {
                let read: fn($shown) -> $fact = $read;
                Ok(read(value.extract()?))
            }
        }
    )*};
}

plain! {
    bool as bool: |flag| flag, |flag| flag;
    u32 as u32: |count| count, |count| count;
    u64 as u64: |count| count, |count| count;
    f64 as f64: |packets| packets, |packets| packets;
    Time as f64: Time::as_secs_f64, time;
    Duration as f64: Duration::as_secs_f64, Duration::from_secs_f64;
    PacketRate as f64: |PacketRate(rate)| rate, PacketRate;
}

impl<T: Shown> Shown for Option<T> {
    type Shown = Option<T::Shown>;

    fn show(self) -> Option<T::Shown> {
        self.map(T::show)
    }

    fn read(value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
        if value.is_none() { Ok(None) } else { T::read(value).map(Some) }
    }
}

impl Shown for Signal {
    type Shown = &'static str;

    fn show(self) -> &'static str {
        self.name()
    }

    fn read(value: &Bound<'_, PyAny>) -> PyResult<Signal> {
        let signal: String = value.extract()?;
        let found = Signal::ALL.iter().find(|known| known.name() == signal);
        found.copied().ok_or_else(|| {
            let names: Vec<String> = Signal::NAMES.iter().map(|name| format!("{name:?}")).collect();
            PyValueError::new_err(format!("signal is {signal:?}; it is one of {}", names.join(", ")))
        })
    }
}

/// A class for each record, with a property for each of its facts and derived values.
macro_rules! classes {
    ($(
        $(#[doc = $about:literal])*
        $record:ident {
            $( $(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr, )*
        } $(=> |$this:ident| {
            $( $(#[doc = $follows_doc:literal])* $follows:ident: $follows_type:ty = $value:expr, )*
        })?
    )*) => {
        $(const _: () = {
            $(#[doc = $about])*
            #[pyclass(frozen, module = "ackclock._native")]
            pub(crate) struct $record(ackclock_congestion::$record);

            #[pymethods]
            impl $record {
                $(
                    $(#[doc = $doc])*
                    #[getter]
                    fn $field(&self) -> <$type as Shown>::Shown {
                        self.0.$field.show()
                    }
                )*
                $($(
                    $(#[doc = $follows_doc])*
                    #[getter]
                    fn $follows(&self) -> <$follows_type as Shown>::Shown {
                        self.0.$follows().show()
                    }
                )*)?

                /// Every fact with its value.
                fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                    printed(slf, stringify!($record), <ackclock_congestion::$record>::FIELDS)
                }

                /// Called for what is no fact: says which one is meant.
                fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
                    Err(no_fact(stringify!($record), name, <ackclock_congestion::$record>::FIELDS))
                }
            }

            impl Shown for ackclock_congestion::$record {
                type Shown = $record;

                fn show(self) -> $record {
                    $record(self)
                }

                fn read(value: &Bound<'_, PyAny>) -> PyResult<ackclock_congestion::$record> {
                    let py = value.py();
                    Ok(ackclock_congestion::$record {
                        $( $field: <$type as Shown>::read(&value.getattr(pyo3::intern!(py, stringify!($field)))?)?, )*
                    })
                }
            }
        };)*

        /// The declared facts, by the name of their record: its meaning, and the name, kind and meaning of each.
        fn records(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
            let records = PyDict::new(py);
            $(
                let fields = shown::<ackclock_congestion::$record>();
                records.set_item(stringify!($record), (sentence(<ackclock_congestion::$record>::ABOUT), fields))?;
            )*
            Ok(records)
        }
    };
}

ackclock_congestion::facts!(classes);

/// A record as "Ack(now=0.5, delivered=2, ..)".
fn printed(record: &Bound<'_, PyAny>, name: &str, fields: &[Field]) -> PyResult<String> {
    let facts = fields.iter().map(|(fact, _)| Ok(format!("{fact}={}", record.getattr(*fact)?.repr()?)));
    Ok(format!("{name}({})", facts.collect::<PyResult<Vec<_>>>()?.join(", ")))
}

fn no_fact(record: &str, found: &str, fields: &[Field]) -> PyErr {
    let names: Vec<&str> = fields.iter().map(|(fact, _)| *fact).collect();
    let advice = advice(nearest(found, names.iter().copied()), names.iter().copied());
    PyAttributeError::new_err(format!("{record} has no {found}{advice}"))
}

/// A fact that a caller hands over as any object with its attributes.
pub(crate) struct Told<T>(pub T);

impl<T: Shown> FromPyObject<'_, '_> for Told<T> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Told<T>> {
        T::read(&value).map(Told)
    }
}

/// Adds the declarations to the module.
pub(crate) fn declared(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let events: Vec<_> = Event::KINDS
        .iter()
        .map(|kind| {
            let arguments = rows(kind.arguments, kind.docs);
            (kind.method, sentence(kind.about), arguments)
        })
        .collect();
    let needs: Vec<_> = Needs::FLAGS.iter().map(|(name, doc)| (*name, sentence(doc))).collect();
    module.add("FACTS", records(module.py())?)?;
    module.add("EVENTS", events)?;
    module.add("NEEDS", needs)
}

fn shown<T: Record>() -> Vec<(&'static str, String, String)> {
    rows(T::FIELDS, T::DOCS)
}

/// Name, kind and meaning of each field.
fn rows(fields: &[Field], docs: &[&'static str]) -> Vec<(&'static str, String, String)> {
    fields.iter().zip(docs).map(|((name, kind), doc)| (*name, kind_name(kind), sentence(doc))).collect()
}

/// The text of a doc comment on one line.
fn sentence(doc: &str) -> String {
    doc.trim().to_owned()
}

fn kind_name(kind: &Kind) -> String {
    match kind {
        Kind::Flag => "flag".to_owned(),
        Kind::Count => "count".to_owned(),
        Kind::Packets => "packets".to_owned(),
        Kind::Seconds => "seconds".to_owned(),
        Kind::PacketsPerSecond => "packets per second".to_owned(),
        Kind::OneOf(names) => names.join(" | "),
        Kind::Record(name, _) => (*name).to_owned(),
        Kind::Optional(kind) => format!("{} | None", kind_name(kind)),
    }
}

/// The method of a controller's class that takes an event, and its arguments.
pub(crate) fn call_of<'py>(py: Python<'py>, event: &Event) -> PyResult<(&'static str, Bound<'py, PyTuple>)> {
    let (method, numbers) = event.call();
    let kinds = Event::KINDS.iter().filter(|kind| kind.method == method).flat_map(|kind| kind.arguments);
    let arguments = kinds.zip(numbers).map(|((_, kind), number)| match kind {
        Kind::Count => Ok((number as u64).into_pyobject(py)?.into_any()),
        _ => Ok(number.into_pyobject(py)?.into_any()),
    });
    Ok((method, PyTuple::new(py, arguments.collect::<PyResult<Vec<_>>>()?)?))
}

/// A time in seconds since the start, to the nanosecond.
pub(crate) fn time(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}
