//! Checks of the contract between a transport and a controller.
