//! T/TCP's accelerated open (RFC 1644): connection counts, by which a server distinguishes a new SYN from an old
//! duplicate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The last valid connection count of a client host that a server has received (`cache.CC`); zero while it has none.
#[derive(Clone, Debug, Default)]
pub struct CountCache(Arc<AtomicU32>);

/// The connection count of a connection (the option CC), and the cache of its server.
#[derive(Clone, Debug)]
pub struct ConnectionCount {
    /// The client host counts its connections from one.
    count: u32,
    /// True if the SYN has the option CC, since the client has sent one to the server before; otherwise it has
    /// CC.NEW.
    is_known: bool,
    cache: CountCache,
}

impl ConnectionCount {
    /// The bytes of the option in every segment: six, and two of padding.
    pub const OPTION_BYTES: u32 = 8;

    /// The count of a connection to a server with this cache, which `is_known` to the client.
    pub fn new(count: u32, is_known: bool, cache: &CountCache) -> ConnectionCount {
        ConnectionCount { count, is_known, cache: cache.clone() }
    }

    /// True if the SYN carries data: with CC.NEW the server would hold it until the handshake is over.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    /// The TAO test of a SYN that has arrived (RFC 1644, 2.1): a count above the cached one belongs to a new
    /// SYN, which is accepted at once.
    pub(crate) fn passes(&self) -> bool {
        let ConnectionCount { count, is_known, cache: CountCache(cache) } = self;
        let cached = cache.load(Ordering::Relaxed);
        let passes = *is_known && cached > 0 && *count > cached;
        if passes {
            cache.store(*count, Ordering::Relaxed);
        }
        passes
    }

    /// Notes that a handshake has shown the SYN to be valid.
    pub(crate) fn validate(&self) {
        self.cache.0.fetch_max(self.count, Ordering::Relaxed);
    }
}
