//! Network name spaces, stored like those of `ip netns`.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A name space, which is removed at the end if it was made here.
#[derive(Debug)]
pub(crate) struct NameSpace {
    name: String,
    /// Removes a name space that was made here, if this program is killed.
    own: Option<Heir>,
}

/// The folder in which iproute2 keeps name spaces by name.
const FOLDER: &str = "/run/netns";

impl NameSpace {
    /// The name space of this name, made if there is none.
    pub fn open(name: &str) -> Result<NameSpace, String> {
        if name.is_empty() || name.starts_with(['-', '.']) || name.contains('/') {
            return Err(format!("{name:?} is no name of a name space: a word without a slash"));
        }
        if path(name).exists() {
            return Ok(NameSpace { name: name.to_owned(), own: None });
        }
        let heir = Heir::begin(name)?;
        let name_space = NameSpace { name: name.to_owned(), own: Some(heir) };
        ip(&["-netns", name, "link", "set", "lo", "up"])?;
        Ok(name_space)
    }

    /// The file that represents it.
    pub fn file(&self) -> Result<File, String> {
        File::open(path(&self.name)).map_err(|error| format!("name space {}: {error}", self.name))
    }
}

impl Drop for NameSpace {
    fn drop(&mut self) {
        let Some(heir) = self.own.take() else { return };
        if let Err(message) = ip(&["netns", "delete", &self.name]) {
            eprintln!("ackclock-link: name space {} is left behind: {message}", self.name);
        }
        heir.dismiss();
    }
}

/// A process that outlives this one where it is killed (`kill -9`), which nothing in this one can answer. It makes the name space itself:
/// one that was still being made when this process died would be left behind by whoever looked before.
#[derive(Debug)]
struct Heir(Child);

/// Makes a name space and says what failed, with an empty line for nothing. Then waits for a line, which says that all is done; where there
/// is none, its writer has died.
const INHERIT: &str = "trap '' PIPE
problem=$(ip netns add \"$1\" 2>&1)
status=$?
echo \"$problem\"
if [ $status = 0 ]; then read -r line || exec ip netns delete \"$1\"; fi";

impl Heir {
    fn begin(name: &str) -> Result<Heir, String> {
        let mut command = Command::new("sh");
        command.args(["-c", INHERIT, "ackclock-link", name]).stdin(Stdio::piped());
        // A group of its own: Ctrl-C and a kill of the whole group do not reach it.
        command.stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let wrong = |error: std::io::Error| format!("sh: {error}");
        let mut heir = command.spawn().map(Heir).map_err(wrong)?;
        let mut problem = String::new();
        if let Some(said) = heir.0.stdout.take() {
            BufReader::new(said).read_line(&mut problem).map_err(wrong)?;
        }
        match problem.trim() {
            "" => Ok(heir),
            problem => {
                let message = format!("ip netns add {name}: {problem}");
                heir.dismiss();
                Err(message)
            }
        }
    }

    /// Ends the process that would remove the name spaces: they are gone.
    fn dismiss(mut self) {
        if let Some(mut line) = self.0.stdin.take() {
            let _ = line.write_all(b"\n");
        }
        let _ = self.0.wait();
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
