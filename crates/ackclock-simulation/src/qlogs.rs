//! The qlog files of connections of other stacks, which the stacks write themselves.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a stack writes the qlog of a connection.
pub type Log = Box<dyn io::Write + Send + Sync>;

/// The qlogs of a run, by flow.
#[derive(Default)]
pub(crate) struct Qlogs {
    is_on: bool,
    flows: Vec<(String, Memory)>,
}

impl Qlogs {
    /// Keeps qlogs, or none.
    pub fn new(is_on: bool) -> Qlogs {
        Qlogs { is_on, flows: Vec::new() }
    }

    /// The place for a flow's qlog, if it is to write one.
    pub fn of(&mut self, flow: &str) -> Option<Log> {
        if !self.is_on {
            return None;
        }
        let memory = Memory::default();
        self.flows.push((flow.to_owned(), memory.clone()));
        Some(Box::new(memory))
    }

    /// What the stacks have written, by flow.
    pub fn take(self) -> Vec<(String, Vec<u8>)> {
        self.flows.into_iter().map(|(flow, memory)| (flow, memory.take())).collect()
    }
}

/// Bytes that a stack writes, and the run reads at its end.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
