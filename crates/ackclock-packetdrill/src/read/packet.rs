//! Packets: `< [ect0] P. 1:1001(1000) ack 1 win 257 <nop,nop,TS val 100 ecr 200>`.

use super::cursor::{Cursor, Problem};
use crate::script::{Direction, EcnField, Packet, TcpOption};

/// The letters of flags: ECE, CWR and AE are E, W and A, an acknowledgment is a point.
const FLAGS: &str = "FSRP.UEWA";

pub(super) fn packet(cursor: &mut Cursor<'_>) -> Result<Packet, Problem> {
    let direction = if cursor.takes("<") { Direction::In } else { Direction::Out };
    cursor.takes(">");
    cursor.skip_blank();
    let ecn = ecn(cursor)?;
    cursor.skip_blank();
    refuse_other_protocols(cursor)?;
    let written = if cursor.peek().is_some_and(|c| FLAGS.contains(c)) {
        cursor.run_of(|c| FLAGS.contains(c) || c.is_ascii_digit())
    } else {
        ""
    };
    let flags: String = written.chars().filter(|c| *c != 'P').flat_map(letters_of).collect();
    if flags.is_empty() && !cursor.takes("-") && cursor.peek().is_none_or(|c| !c.is_ascii_digit()) {
        return Err(cursor.problem("the flags of a TCP segment"));
    }
    cursor.skip_blank();
    let (start, end, length) = sequence(cursor)?;
    let mut packet = Packet {
        direction,
        ecn,
        flags,
        start,
        end,
        length,
        ack: None,
        window: None,
        options: Some(Vec::new()),
    };
    loop {
        cursor.skip_blank();
        if cursor.takes("ack ") {
            packet.ack = Some(number(cursor)?);
        } else if cursor.takes("win ") {
            packet.window = Some(number(cursor)?);
        } else if cursor.takes("urg ") {
            return Err(Problem::at(cursor.line(), "urgent data"));
        } else if cursor.peek() == Some('<') && !begins_next(cursor) {
            packet.options = options(cursor)?;
        } else {
            return Ok(packet);
        }
    }
}

/// A flag; or the flags AE, CWR and ECE of a number, the field ACE (RFC 9768, 3.2.2).
fn letters_of(written: char) -> Vec<char> {
    let Some(ace) = written.to_digit(10) else { return vec![written] };
    [(4, 'A'), (2, 'W'), (1, 'E')].iter().filter(|(bit, _)| ace & bit > 0).map(|(_, flag)| *flag).collect()
}

/// True if the sign begins the next event, which has no time of its own: a packet's direction is followed by a blank.
fn begins_next(cursor: &mut Cursor<'_>) -> bool {
    cursor.stands_at("< ") || cursor.stands_at("> ")
}

fn ecn(cursor: &mut Cursor<'_>) -> Result<Option<EcnField>, Problem> {
    if !cursor.takes("[") {
        return Ok(None);
    }
    let text = cursor.until("]").ok_or_else(|| cursor.problem("the end ] of an ECN field"))?;
    match text.trim() {
        "noecn" => Ok(Some(EcnField::NotCapable)),
        "ect0" => Ok(Some(EcnField::Capable0)),
        "ect1" => Ok(Some(EcnField::Capable1)),
        "ce" => Ok(Some(EcnField::Marked)),
        other => Err(Problem::at(cursor.line(), format!("a packet with [{other}]"))),
    }
}

fn refuse_other_protocols(cursor: &mut Cursor<'_>) -> Result<(), Problem> {
    for (name, reason) in [
        ("icmp", "ICMP"),
        ("udp", "UDP"),
        ("ipv4", "encapsulation"),
        ("ipv6", "IPv6"),
        ("gre", "encapsulation"),
        ("mpls", "encapsulation"),
        ("sctp", "SCTP"),
        ("(", "packets with addresses or ports of their own"),
    ] {
        if cursor.stands_at(name) {
            return Err(Problem::at(cursor.line(), reason));
        }
    }
    Ok(())
}

fn sequence(cursor: &mut Cursor<'_>) -> Result<(u64, u64, u64), Problem> {
    let start = number(cursor)?;
    let mut end = start;
    if cursor.takes(":") {
        end = number(cursor)?;
    }
    let mut length = end - start.min(end);
    if cursor.takes("(") {
        length = number(cursor)?;
        if !cursor.takes(")") {
            return Err(cursor.problem("the end ) of a length"));
        }
    }
    Ok((start, end, length))
}

fn number(cursor: &mut Cursor<'_>) -> Result<u64, Problem> {
    cursor.skip_blank();
    cursor.number().ok_or_else(|| cursor.problem("a number"))
}

/// The options; none if any will do.
fn options(cursor: &mut Cursor<'_>) -> Result<Option<Vec<TcpOption>>, Problem> {
    let line = cursor.line();
    cursor.takes("<");
    let text = cursor.until(">").ok_or_else(|| cursor.problem("the end > of options"))?;
    if text.trim() == "..." {
        return Ok(None);
    }
    let mut options = Vec::new();
    for option in text.split(',') {
        if let Some(option) = one_option(option.trim(), line)? {
            options.push(option);
        }
    }
    Ok(Some(options))
}

/// An option; none for padding.
fn one_option(text: &str, line: usize) -> Result<Option<TcpOption>, Problem> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let unread = || Problem::at(line, format!("the option {text:?}"));
    let value = |word: &str| word.parse::<u32>().map_err(|_| unread());
    let option = match words.as_slice() {
        [] | ["nop" | "eol"] => return Ok(None),
        ["mss", size] => TcpOption::Mss(value(size)? as u16),
        ["wscale", shift] => TcpOption::WindowScale(value(shift)? as u8),
        ["sackOK"] => TcpOption::SackPermitted,
        ["sack", blocks @ ..] => {
            let edges = |block: &&str| {
                let (start, end) = block.split_once(':')?;
                Some((start.parse().ok()?, end.parse().ok()?))
            };
            TcpOption::Sack(blocks.iter().map(edges).collect::<Option<_>>().ok_or_else(unread)?)
        }
        ["TS", "val", own, "ecr", echo] => TcpOption::Timestamps(value(own)?, value(echo)?),
        ["ECN", counters @ ..] => {
            let pairs = counters.chunks(2).map(|pair| match pair {
                [name, count] => Ok(((*name).to_owned(), value(count)?)),
                _ => Err(unread()),
            });
            TcpOption::Counters(pairs.collect::<Result<_, _>>()?)
        }
        ["FO" | "FOEXP", ..] => return Err(Problem::at(line, "the cookie of Fast Open")),
        ["mp_capable" | "mp_join" | "dss" | "add_address", ..] => return Err(Problem::at(line, "MPTCP")),
        _ => return Err(unread()),
    };
    Ok(Some(option))
}
