//! The end of a program whose interpreter a class of the user keeps for itself: Python handles a signal only between two of its own
//! instructions, which a call such as `list(itertools.count())` never reaches.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;

/// Runs under way in which classes of the user answer.
static RUNS_OF_CLASSES: AtomicUsize = AtomicUsize::new(0);

/// A run of classes, counted from here until it is dropped.
pub(crate) struct RunOfClasses;

impl RunOfClasses {
    pub fn begin() -> RunOfClasses {
        RUNS_OF_CLASSES.fetch_add(1, Ordering::Relaxed);
        RunOfClasses
    }
}

impl Drop for RunOfClasses {
    fn drop(&mut self) {
        RUNS_OF_CLASSES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Begins to watch, and gives the descriptor for `signal.set_wakeup_fd`; none if the platform has no such thing.
#[pyfunction]
pub(crate) fn watch_signals() -> PyResult<Option<i32>> {
    #[cfg(unix)]
    return watcher::begin(|| RUNS_OF_CLASSES.load(Ordering::Relaxed) > 0).map(Some).map_err(PyErr::from);
    #[cfg(not(unix))]
    return Ok(None);
}

#[cfg(unix)]
mod watcher {
    use std::io::{Read, Result};
    use std::os::fd::IntoRawFd;
    use std::os::unix::net::UnixStream;
    use std::process;
    use std::sync::mpsc::channel;
    use std::sync::{Mutex, PoisonError};
    use std::thread;
    use std::time::Duration;

    use pyo3::Python;

    /// The time that a signal waits for the interpreter.
    const PATIENCE: Duration = Duration::from_millis(1_500);

    /// The time that the program has for its end.
    const LAST: Duration = Duration::from_millis(300);

    /// The descriptor of the one watcher of this process.
    static WATCHED: Mutex<Option<i32>> = Mutex::new(None);

    pub fn begin(may_end: fn() -> bool) -> Result<i32> {
        let mut known = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(descriptor) = *known {
            return Ok(descriptor);
        }
        let (told, mut watched) = UnixStream::pair()?;
        told.set_nonblocking(true)?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let mut signal = [0];
            while watched.read_exact(&mut signal).is_ok() {
                if may_end() && !interpreter_answers() {
                    end(signal[0]);
                }
            }
        })?;
        Ok(*known.insert(told.into_raw_fd()))
    }

    /// True if another thread gets the interpreter within the time.
    fn interpreter_answers() -> bool {
        let (says, hears) = channel();
        thread::spawn(move || {
            Python::attach(|_| ());
            says.send(()).ok();
        });
        hears.recv_timeout(PATIENCE).is_ok()
    }

    fn end(signal: u8) {
        eprintln!("ackclock: a call of a class of one's own does not return: the program ends without it");
        thread::spawn(|| {
            thread::park_timeout(LAST);
            process::abort();
        });
        process::exit(128 + i32::from(signal));
    }
}
