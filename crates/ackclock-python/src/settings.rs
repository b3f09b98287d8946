//! The settings of TCP's endpoints from keywords, which are the keys of a scenario's table `[tcp]`.

use ackclock_catalogue::{Part, find, name_of, names};
use ackclock_transport::tcp::{RECEIVER_CONTROLS, Setting, Settings};
use ackclock_units::{Duration, Rate};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Applies the keywords. Spans are in nanoseconds, such as `ack_delay_ns`, and rates are named like
/// `read_rate_bit_per_s`.
///
/// # Errors
/// `TypeError` for an unknown keyword or a value of a wrong type, `ValueError` for a name that is none of those possible.
pub(crate) fn set(settings: &mut Settings, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    for (keyword, value) in keywords.into_iter().flatten() {
        let keyword: String = keyword.extract()?;
        let key = keyword.strip_suffix("_ns").or(keyword.strip_suffix("_bit_per_s")).unwrap_or(&keyword);
        match settings.setting(key) {
            Some(Setting::Switch(switch)) => *switch = value.extract()?,
            Some(Setting::Count(count, _)) => *count = value.extract()?,
            Some(Setting::CountOrNone(count)) => {
                *count = Some(value.extract()?).filter(|count| *count > 0);
            }
            Some(Setting::Span(span, _)) if keyword.ends_with("_ns") => {
                *span = Duration::from_nanos(value.extract()?);
            }
            Some(Setting::Rate(rate)) if keyword.ends_with("_bit_per_s") => {
                *rate = value.extract::<Option<u64>>()?.map(Rate::from_bits_per_second);
            }
            Some(Setting::ReceiverControl(control)) => *control = receiver_control(value.extract()?)?,
            Some(Setting::Name(choice)) => choice
                .choose(value.extract()?)
                .map_err(|names| PyValueError::new_err(format!("{keyword} is {}", names.join(" or "))))?,
            _ => return Err(PyTypeError::new_err(format!("no setting has the name {keyword}"))),
        }
    }
    Ok(())
}

/// The congestion control of a receiver, such as `rledbat(target=60)`.
fn receiver_control(text: &str) -> PyResult<Option<Part>> {
    let Some(entry) = find(RECEIVER_CONTROLS, name_of(text)) else {
        let known: Vec<&str> = names(RECEIVER_CONTROLS).collect();
        return Err(PyValueError::new_err(format!("receiver_control is {}", known.join(" or "))));
    };
    Part::read(entry, text).map_err(|error| PyValueError::new_err(error.to_string()))
}
