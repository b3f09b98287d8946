//! Network name spaces, stored like those of `ip netns`.

use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

/// A name space, which is removed at the end if it was made here.
#[derive(Debug)]
pub(crate) struct NameSpace {
    name: String,
    is_own: bool,
}

/// The folder in which iproute2 keeps name spaces by name.
const FOLDER: &str = "/run/netns";

impl NameSpace {
    /// The name space of this name, made if there is none.
    pub fn open(name: &str) -> Result<NameSpace, String> {
        if name.is_empty() || name.starts_with(['-', '.']) || name.contains('/') {
            return Err(format!("{name:?} is no name of a name space: a word without a slash"));
        }
        let is_own = !path(name).exists();
        if is_own {
            ip(&["netns", "add", name])?;
        }
        let name_space = NameSpace { name: name.to_owned(), is_own };
        if is_own {
            ip(&["-netns", name, "link", "set", "lo", "up"])?;
        }
        Ok(name_space)
    }

    /// The file that represents it.
    pub fn file(&self) -> Result<File, String> {
        File::open(path(&self.name)).map_err(|error| format!("name space {}: {error}", self.name))
    }
}

impl Drop for NameSpace {
    fn drop(&mut self) {
        if self.is_own
            && let Err(message) = ip(&["netns", "delete", &self.name])
        {
            eprintln!("ackclock-link: name space {} is left behind: {message}", self.name);
        }
    }
}

fn path(name: &str) -> PathBuf {
    [FOLDER, name].iter().collect()
}

/// Runs `ip`.
pub(crate) fn ip(arguments: &[&str]) -> Result<(), String> {
    let whole = arguments.join(" ");
    let output = Command::new("ip").args(arguments).output();
    let output = output.map_err(|error| format!("ip {whole}: {error}; the package is called iproute2"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("ip {whole}: {}", message.trim()))
}
