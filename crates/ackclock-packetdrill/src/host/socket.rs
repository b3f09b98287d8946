//! A socket of the script.

/// The requests of the application to a socket, and the socket's connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Socket {
    /// The number of connections that there were when it began to listen, if it does.
    pub listens_from: Option<usize>,
    /// The segment size that the application asks for.
    pub maxseg: Option<u16>,
    /// The congestion control that it asks for.
    pub algorithm: Option<String>,
    pub syn_attempts: Option<u32>,
    pub connection: Option<usize>,
}
