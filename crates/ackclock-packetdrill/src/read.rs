//! The language of packetdrill, read.

mod call;
mod cursor;
mod packet;
mod relative;
pub(crate) mod shell;

use ackclock_units::Duration;

use crate::script::{Action, Event, Script, When, WhenKind};
use cursor::Cursor;

pub(crate) use cursor::Problem;

/// Reads a script.
pub(crate) fn script(text: &str) -> Result<Script, Problem> {
    let mut cursor = Cursor::new(text);
    let mut script = Script::default();
    while cursor.skip_blank() {
        if script.events.is_empty() && cursor.takes("--") {
            option(&mut script, cursor.line_rest(), cursor.line())?;
            continue;
        }
        let line = cursor.line();
        let start = cursor.place();
        // The commands before the first event have no time: they are of the beginning.
        let when = when(&mut cursor)?;
        cursor.skip_blank();
        let action = action(&mut cursor)?;
        let text = cursor.since(start).split_whitespace().collect::<Vec<_>>().join(" ");
        script.events.push(Event { line, when, action, text });
    }
    relative::count_from_syns(&mut script.events);
    Ok(script)
}

/// An option of packetdrill in the script. Those of addresses and of checks that have no meaning here are passed over.
fn option(script: &mut Script, text: &str, line: usize) -> Result<(), Problem> {
    let (name, value) = text.trim().split_once('=').unwrap_or((text.trim(), ""));
    match name {
        "tolerance_usecs" => {
            let micros = value.trim().parse().map_err(|_| Problem::at(line, format!("--{name}={value}")))?;
            script.tolerance = Some(Duration::from_micros(micros));
        }
        "ip_version" if value != "ipv4" => return Err(Problem::at(line, format!("--{name}={value}"))),
        "mss" | "mtu" if value != "1500" => return Err(Problem::at(line, format!("--{name}={value}"))),
        "strict_segments" => {
            return Err(Problem::at(line, "--strict_segments: segments are joined here".to_owned()));
        }
        _ => {}
    }
    Ok(())
}

/// The time of an event, which is that of the event before where the script says nothing.
fn when(cursor: &mut Cursor<'_>) -> Result<When, Problem> {
    if cursor.takes("*") {
        return Ok(When { kind: WhenKind::Any, from: Duration::ZERO, until: None });
    }
    let relative = cursor.takes("+");
    cursor.skip_blank();
    let Some(from) = cursor.seconds() else {
        if relative {
            return Err(cursor.problem("a time"));
        }
        return Ok(When { kind: WhenKind::Relative, from: Duration::ZERO, until: None });
    };
    cursor.skip_blank();
    let mut until = None;
    if cursor.takes("~") || cursor.takes("...") {
        cursor.skip_blank();
        cursor.takes("+");
        cursor.skip_blank();
        until = Some(cursor.seconds().ok_or_else(|| cursor.problem("the end of a range of times"))?);
    }
    let kind = if relative { WhenKind::Relative } else { WhenKind::Absolute };
    Ok(When { kind, from, until })
}

fn action(cursor: &mut Cursor<'_>) -> Result<Action, Problem> {
    if cursor.takes("%{") {
        let code = cursor.until("}%").ok_or_else(|| cursor.problem("the end }% of a piece of Python"))?;
        return Ok(Action::Code(code.to_owned()));
    }
    if cursor.takes("`") {
        let code = cursor.until("`").ok_or_else(|| cursor.problem("the end ` of a command"))?;
        return Ok(Action::Shell(code.to_owned()));
    }
    if cursor.peek() == Some('<') || cursor.peek() == Some('>') {
        return packet::packet(cursor).map(Action::Packet);
    }
    call::call(cursor).map(Action::Call)
}

#[cfg(test)]
mod tests;
