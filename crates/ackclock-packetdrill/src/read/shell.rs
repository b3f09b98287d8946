//! The shell commands of scripts, as far as they set what a simulated TCP has: `sysctl`, queues that pace, and files of defaults.

use std::path::Path;

use super::cursor::Problem;

/// The text of a file that a script names, next to it; none if there is no such file.
pub type ReadIncluded<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A change of the conditions of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A variable below `net.ipv4`, and its value.
    Sysctl(String, String),
    /// The queue of the interface lets segments go when they are due, or at once.
    Pacing(bool),
    /// The initial window of a route, in segments.
    InitialWindow(u32),
}

/// Files within one another.
const DEEPEST: usize = 4;

/// Programs that change nothing here: they restore what the script has set, look at counters, or wait for nothing.
const WITHOUT_MEANING: &[&str] =
    &["true", "echo", "set", "nstat", "ethtool", "sleep", "export", "exit", "modprobe", "dmesg"];

/// The changes that commands ask for; `line` is that of the first.
pub(crate) fn changes(text: &str, line: usize, read: ReadIncluded<'_>) -> Result<Vec<Change>, Problem> {
    let mut found = Vec::new();
    collect(text, line, read, 0, &mut found)?;
    Ok(found)
}

fn collect(
    text: &str,
    line: usize,
    read: ReadIncluded<'_>,
    depth: usize,
    found: &mut Vec<Change>,
) -> Result<(), Problem> {
    let joined = text.replace("\\\n", " ");
    for command in joined.split(['\n', ';']).flat_map(|part| part.split("&&")) {
        let command = command.split(" #").next().unwrap_or_default().trim();
        if command.is_empty() || command.starts_with('#') {
            continue;
        }
        let words = words(command);
        let program = words[0].rsplit('/').next().unwrap_or_default();
        match program {
            "sysctl" | "set_sysctls.py" => found.extend(words[1..].iter().filter_map(|word| sysctl(word))),
            "tc" => queue(&words, line, found)?,
            "ip" => route(&words, line, found)?,
            _ if program.starts_with("sysctl_restore") || WITHOUT_MEANING.contains(&program) => {}
            _ if Path::new(program).extension().is_some_and(|kind| kind == "sh") && depth < DEEPEST => {
                let included = read(&words[0])
                    .ok_or_else(|| Problem::at(line, format!("the file {} is not there", words[0])))?;
                collect(&included, line, read, depth + 1, found)?;
            }
            _ => return Err(Problem::at(line, format!("the command {command}"))),
        }
    }
    Ok(())
}

/// The words of a command, without the quotes around them.
fn words(command: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() => {
                if found.last().is_some_and(|word| !word.is_empty()) {
                    found.push(String::new());
                }
            }
            _ => found.last_mut().expect("it begins with one").push(c),
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

/// `net.ipv4.tcp_sack=0`, or the path of the variable.
fn sysctl(word: &str) -> Option<Change> {
    let (name, value) = word.split_once('=')?;
    let name = name.trim_start_matches("/proc/sys/").replace('/', ".");
    let name = name.strip_prefix("net.ipv4.").unwrap_or(&name);
    Some(Change::Sysctl(name.to_owned(), value.trim().to_owned()))
}

fn queue(words: &[String], line: usize, found: &mut Vec<Change>) -> Result<(), Problem> {
    let root = words.iter().position(|word| word == "root").and_then(|place| words.get(place + 1));
    if words.iter().any(|word| word == "limit") {
        return Err(Problem::at(line, "a queue of the host that refuses segments"));
    }
    match root.map(String::as_str) {
        Some("fq") => found.push(Change::Pacing(true)),
        Some("pfifo" | "fq_codel" | "noqueue") | None => found.push(Change::Pacing(false)),
        Some(other) => return Err(Problem::at(line, format!("the queue {other} of the host"))),
    }
    Ok(())
}

fn route(words: &[String], line: usize, found: &mut Vec<Change>) -> Result<(), Problem> {
    if words.get(1).is_none_or(|object| object != "route" && object != "ro") {
        return Ok(());
    }
    let after = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    if words.iter().any(|word| ["mtu", "advmss", "congctl", "features", "rto_min"].contains(&word.as_str())) {
        return Err(Problem::at(line, "a route with properties of its own"));
    }
    if let Some(window) = after("initcwnd").and_then(|word| word.parse().ok()) {
        found.push(Change::InitialWindow(window));
    }
    Ok(())
}
