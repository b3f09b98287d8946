//! The Python binding: it converts, calls, and converts back. It does no arithmetic of its own.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has converted")]

mod acknak;
mod algorithms;
mod answers;
mod catalogue;
mod controller;
mod convert;
mod facts;
mod locked;
mod media;
mod packetdrill;
mod python_controller;
mod python_media;
mod python_part;
mod random;
mod receiver;
mod run;
mod scenario;
mod sender;
mod settings;
mod signals;
mod tfrc;
mod worlds;

use ackclock_transport::tcp::TcpInfo;
use pyo3::prelude::*;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: ackclock_memory::HugePages = ackclock_memory::HugePages;

/// The compiled part of Ackclock.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ScenarioError", module.py().get_type::<scenario::ScenarioError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    facts::declared(module)?;
    module.add("TCP_INFO_COLUMNS", TcpInfo::COLUMNS.to_vec())?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<run::RunOutput>()?;
    module.add_class::<controller::Controller>()?;
    module.add_class::<media::MediaController>()?;
    module.add_class::<acknak::AckNakReceiver>()?;
    module.add_class::<acknak::AckNakSender>()?;
    module.add_class::<receiver::TcpReceiver>()?;
    module.add_class::<sender::TcpSender>()?;
    module.add_class::<tfrc::TfrcReceiver>()?;
    module.add_class::<tfrc::TfrcSender>()?;
    module.add_class::<worlds::Worlds>()?;
    module.add_function(wrap_pyfunction!(algorithms::parse_algorithm, module)?)?;
    module.add_function(wrap_pyfunction!(algorithms::recovery_of, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::list_entries, module)?)?;
    module.add_function(wrap_pyfunction!(packetdrill::run_packetdrill, module)?)?;
    module.add_function(wrap_pyfunction!(random::uniform_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(signals::watch_signals, module)?)?;
    Ok(())
}
