//! TFRC end to end: what RFC 5348 and the paper behind it (Floyd, Handley, Padhye, Widmer, SIGCOMM 2000) say must
//! follow, over a path with a script.

mod equation;
mod intervals;
mod path;
mod receiving;
mod response;
mod sending;
