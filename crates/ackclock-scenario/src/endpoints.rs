//! Endpoints: the keys of `[tcp]` and `[acknak]`, the settings of known systems, the names of algorithms, the protocols.

pub(crate) mod acknak;
pub(crate) mod algorithm;
pub(crate) mod protocols;
pub(crate) mod systems;
pub(crate) mod tcp;
