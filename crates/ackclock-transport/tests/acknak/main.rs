//! The ACK/NAK transport against what its source says of it (MesoNet, 5.1 and 5.3), packet by packet.

mod chance;
mod common;
mod handshake;
mod losses;
mod timer;
mod windows;
