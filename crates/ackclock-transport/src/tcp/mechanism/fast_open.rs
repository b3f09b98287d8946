//! TCP Fast Open at the client (RFC 7413): data in the SYN, to a server whose cookie is known.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "fast-open",
    title: "data in the SYN of a connection to a server whose cookie is known, the heir of T/TCP",
    source: "RFC 7413",
    table: "tcp",
    keys: &[Settings::switch("fast_open")],
    ..Entry::PLAIN
};

/// The cookie of a server, which a host keeps for all its connections to it (RFC 7413, 4.1.3).
/// Cookies do not expire. By default no cookie is ever known.
#[derive(Clone, Debug, Default)]
pub struct Cookie(Option<Arc<AtomicBool>>);

impl Cookie {
    /// A cookie that is not known yet.
    pub fn unknown() -> Cookie {
        Cookie(Some(Arc::default()))
    }

    /// True if it can be known.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// True if a SYN-ACK has brought it.
    pub fn is_known(&self) -> bool {
        self.0.as_ref().is_some_and(|known| known.load(Ordering::Relaxed))
    }

    /// A SYN-ACK brings it.
    pub(crate) fn keep(&self) {
        if let Some(known) = &self.0 {
            known.store(true, Ordering::Relaxed);
        }
    }
}

/// A client's part of Fast Open in one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct FastOpen {
    pub cookie: Cookie,
    /// Bytes of data in the first SYN.
    pub syn_data: u64,
}
