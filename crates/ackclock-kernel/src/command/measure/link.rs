//! The emulated link between two name spaces, by `ackclock-link`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// The address of the far end.
pub(super) const FAR: &str = "10.77.0.2";

/// A link that is up.
pub(super) struct Link {
    names: [String; 2],
    child: Child,
    drops: PathBuf,
}

impl Link {
    /// Makes two name spaces and the link between them.
    pub fn up(program: Option<&Path>, keys: &[(&str, &String)], others: &str) -> Result<Link, String> {
        let number = std::process::id();
        let names = [format!("ack{number}a"), format!("ack{number}b")];
        let drops = std::env::temp_dir().join(format!("ackclock-kernel-{number}.csv"));
        let program = program.map_or_else(beside, Path::to_path_buf);
        let mut command = Command::new(&program);
        command.args(&names).args(["--json", "--drops"]).arg(&drops);
        command
            .args(keys.iter().flat_map(|(key, value)| [*key, value.as_str()]))
            .args(others.split_whitespace());
        let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| {
            format!("{}: {error}; `make link` builds it, --emulator says where it is", program.display())
        })?;
        // Its first line states that the link is up, or an error.
        let mut line = String::new();
        let mut errors = BufReader::new(child.stderr.take().ok_or("no standard error")?);
        let _ = errors.read_line(&mut line);
        if !line.starts_with("up") {
            let _ = child.wait();
            return Err(line.trim().to_owned());
        }
        std::thread::spawn(move || errors.lines().map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        Ok(Link { names, child, drops })
    }

    /// The name spaces, near and far.
    pub fn names(&self) -> &[String; 2] {
        &self.names
    }

    /// Ends the link. Returns its report, and the times in seconds at which it dropped packets.
    pub fn down(self) -> Result<(Value, Vec<f64>), String> {
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM);
        let output = self.child.wait_with_output().map_err(|error| error.to_string())?;
        let report =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("ackclock-link: {error}"))?;
        let text =
            fs::read_to_string(&self.drops).map_err(|error| format!("{}: {error}", self.drops.display()))?;
        let _ = fs::remove_file(&self.drops);
        let seconds = text.lines().filter_map(|line| line.split(',').next()?.parse().ok()).collect();
        Ok((report, seconds))
    }
}

/// The program next to this one.
fn beside() -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name("ackclock-link")
}
