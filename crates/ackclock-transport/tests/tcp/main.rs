//! TCP packet by packet: what the RFCs and papers say must follow, as stories over a network with a script.

mod chance;
mod classic_losses;
mod closing;
mod common;
mod connection;
mod dsack;
mod duplicates;
mod early_retransmit;
mod ecn;
mod eifel;
mod facts;
mod fast_path;
mod fixed;
mod frto;
mod handshake;
mod memory;
mod misbehaving;
mod newreno;
mod pacing;
mod prr;
mod rack;
mod receiving;
mod sack;
mod timer;
mod vegas;
mod windows;
