//! The privileges that a link needs.

use std::fs::OpenOptions;

/// Refuses to run if a link cannot be made, before anything is changed.
pub(crate) fn check() -> Result<(), String> {
    if !nix::unistd::geteuid().is_root() {
        return Err("a link makes name spaces and devices: run it as root, by sudo for instance".to_owned());
    }
    match OpenOptions::new().read(true).write(true).open("/dev/net/tun") {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "/dev/net/tun: {error}; `modprobe tun` loads the driver, a container needs --device /dev/net/tun"
        )),
    }
}
