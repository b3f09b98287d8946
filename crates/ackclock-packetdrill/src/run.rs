//! The run of a script: its events one after the other, each at its time.

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};
use serde_json::{Map, Value};

use crate::assertion::{self, Names, Outcome};
use crate::compare::{self, Mismatch};
use crate::host::{Host, Returned, script_time};
use crate::read::{self, Problem, shell};
use crate::script::{Action, Call, Direction, Event, Packet, TcpOption, When, WhenKind};
use crate::verdict::{Failure, Verdict};

pub use crate::read::shell::ReadIncluded;

/// The tolerance of packetdrill where neither script nor caller says another.
const TOLERANCE: Duration = Duration::from_micros(4000);

/// How long a segment is looked for that did not come in time, to say when it came.
const PATIENCE: Duration = Duration::from_secs(10);

/// The events before a failure that are told.
const CONTEXT: usize = 4;

/// The conditions of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The keys of `[tcp]` in JSON: `system` names the settings of a system, and the others replace them and those of the script.
    pub tcp: Map<String, Value>,
    /// How far the time of an event may be from the time expected, where the script does not say.
    pub tolerance: Duration,
}

impl Default for Options {
    fn default() -> Options {
        let tcp = Map::from_iter([("system".to_owned(), Value::from("linux"))]);
        Options { tcp, tolerance: TOLERANCE }
    }
}

/// Runs a script that names no files.
pub fn run(script: &str, options: &Options) -> Verdict {
    run_with_files(script, options, &|_| None)
}

/// Runs a script; `read` gives the texts of the files of shell commands that it names.
pub fn run_with_files(text: &str, options: &Options, read: ReadIncluded<'_>) -> Verdict {
    let script = match read::script(text) {
        Ok(script) => script,
        Err(problem) => return not_runnable(problem),
    };
    let host = match Host::new(&options.tcp) {
        Ok(host) => host,
        Err(reason) => return not_runnable(Problem::at(1, reason)),
    };
    let tolerance = script.tolerance.unwrap_or(options.tolerance);
    let mut run = Run {
        host,
        tolerance,
        read,
        before: None,
        waiting: Vec::new(),
        names: Names::new(),
        told: VecDeque::new(),
    };
    for event in &script.events {
        if let Err(verdict) = run.take(event) {
            return verdict;
        }
    }
    run.end().err().unwrap_or(Verdict::Passed)
}

/// The event before, to which relative times refer.
struct Before {
    time: Duration,
    /// It happens when the script says, and not when the host does.
    is_anchored: bool,
}

/// A call that waits, until a time.
struct Waiting {
    event: Event,
    call: Call,
    until: Duration,
}

struct Run<'a> {
    host: Host,
    tolerance: Duration,
    read: ReadIncluded<'a>,
    before: Option<Before>,
    waiting: Vec<Waiting>,
    names: Names,
    /// The latest events and segments.
    told: VecDeque<String>,
}

type Taken = Result<(), Verdict>;

impl Run<'_> {
    fn take(&mut self, event: &Event) -> Taken {
        let is_anchored = !matches!(&event.action, Action::Packet(Packet { direction: Direction::Out, .. }));
        let begin = self.begin_of(&event.when, is_anchored);
        if is_anchored {
            self.host.pass_until(begin);
            self.finish_waiting()?;
        }
        match &event.action {
            Action::Packet(packet) if packet.direction == Direction::In => {
                self.tell(format!("{} {}", seconds(begin), event.text));
                self.host.receive(packet).map_err(|reason| refused(event, reason))?;
            }
            Action::Packet(packet) => self.expect(event, packet, begin)?,
            Action::Call(call) => self.call(event, call, begin)?,
            Action::Code(code) => self.examine(event, code)?,
            Action::Shell(text) => self.shell(event, text)?,
        }
        let time = if is_anchored { begin } else { self.host.now() };
        self.before = Some(Before { time, is_anchored });
        Ok(())
    }

    /// The time of an event. Relative times count from the time of the event before, or from now if it came when the host sent.
    fn begin_of(&self, when: &When, is_anchored: bool) -> Duration {
        if when.kind == WhenKind::Absolute {
            return when.from;
        }
        let from = match &self.before {
            Some(before) if before.is_anchored && is_anchored => before.time,
            _ => self.host.now(),
        };
        from + when.from
    }

    fn tell(&mut self, line: String) {
        if self.told.len() == CONTEXT {
            self.told.pop_front();
        }
        self.told.push_back(line);
    }

    /// The segments after a failure that nothing has taken.
    fn failure(&self, event: &Event, expected: impl Into<String>, seen: impl Into<String>) -> Verdict {
        let after = self.host.sent().iter().take(CONTEXT).map(|live| format!("{} {live}", time(live.at)));
        Verdict::Failed(Failure {
            line: event.line,
            expected: expected.into(),
            seen: seen.into(),
            context: self.told.iter().cloned().chain(after).collect(),
        })
    }

    /// The segment that the script expects is sent in time.
    fn expect(&mut self, event: &Event, packet: &Packet, begin: Duration) -> Taken {
        let latest = match event.when.kind {
            WhenKind::Any => Duration::from_secs(3600),
            WhenKind::Absolute => event.when.until.unwrap_or(begin),
            WhenKind::Relative => event.when.until.map_or(begin, |until| begin - event.when.from + until),
        };
        // Packetdrill's tolerance grows with the time since the event before (`--tolerance_percent`).
        let since = begin - self.before.as_ref().map_or(begin, |before| before.time.min(begin));
        let tolerance = self.tolerance.max(since / 8);
        let matched = loop {
            match compare::joined(packet, self.host.sent()) {
                Ok(count) => break count,
                Err(Mismatch::TooFew) if self.host.pass_to_next(latest + tolerance + PATIENCE) => {}
                Err(mismatch) => return Err(self.differs(event, &mismatch, latest)),
            }
        };
        for _ in 0..matched {
            let Some(live) = self.host.take_sent() else { break };
            let at = script_time(live.at);
            let is_early = at + tolerance < begin && event.when.kind != WhenKind::Any;
            if is_early || at > latest + tolerance {
                let seen = format!("{live} at {}", time(live.at));
                return Err(self.failure(event, format!("{} at {}", event.text, seconds(begin)), seen));
            }
            self.tell(format!("{} {live}", time(live.at)));
            if let Some(value) = timestamp_of(packet) {
                self.host.note_timestamps(&live, value);
            }
        }
        Ok(())
    }

    fn differs(&self, event: &Event, mismatch: &Mismatch, latest: Duration) -> Verdict {
        let seen = match (self.host.sent().front(), mismatch) {
            (Some(live), Mismatch::TooFew) => {
                format!("{live}, and no more by {}", seconds(latest + PATIENCE))
            }
            (Some(live), Mismatch::Differs(problem)) => format!("{live} ({problem})"),
            (None, _) => format!("no segment by {}", seconds(latest + PATIENCE)),
        };
        self.failure(event, event.text.clone(), seen)
    }

    fn call(&mut self, event: &Event, call: &Call, begin: Duration) -> Taken {
        self.tell(format!("{} {}", seconds(begin), event.text));
        let until = event.when.until.map(|until| match event.when.kind {
            WhenKind::Relative => begin - event.when.from + until,
            _ => until,
        });
        match self.host.call(call) {
            Returned::Waits => match (&call.error, until) {
                (Some(error), _) if error == "EAGAIN" => Ok(()),
                (None, Some(until)) => {
                    let (event, call) = (event.clone(), call.clone());
                    self.waiting.push(Waiting { event, call, until });
                    Ok(())
                }
                _ => Err(self.failure(event, event.text.clone(), "a call that waits")),
            },
            returned => self.returned(event, call, &returned),
        }
    }

    fn returned(&self, event: &Event, call: &Call, returned: &Returned) -> Taken {
        let seen = match returned {
            Returned::AsWritten => return Ok(()),
            Returned::Unknown(reason) => return Err(refused(event, reason.clone())),
            Returned::Fails(error) if call.error.as_deref() == Some(error) => return Ok(()),
            Returned::Value(value) if call.error.is_none() && is_value(&call.result, *value) => return Ok(()),
            Returned::Misspelt(seen) => return Err(self.failure(event, "a call of packetdrill", seen)),
            Returned::Fails(error) => format!("-1 {error}"),
            Returned::Value(value) => value.to_string(),
            Returned::Waits => "a call that waits".to_owned(),
        };
        Err(self.failure(event, event.text.clone(), seen))
    }

    /// Calls that wait go on, if what they wait for has come. Those whose time is over have failed.
    fn finish_waiting(&mut self) -> Taken {
        for waiting in std::mem::take(&mut self.waiting) {
            match self.host.call(&waiting.call) {
                Returned::Waits if self.host.now() > waiting.until + self.tolerance => {
                    return Err(self.failure(
                        &waiting.event,
                        waiting.event.text.clone(),
                        "a call that waits",
                    ));
                }
                Returned::Waits => self.waiting.push(waiting),
                returned => self.returned(&waiting.event, &waiting.call, &returned)?,
            }
        }
        Ok(())
    }

    fn examine(&mut self, event: &Event, code: &str) -> Taken {
        let host = &self.host;
        match assertion::examine(code, &mut self.names, &|name| host.value(name)) {
            Outcome::Holds => Ok(()),
            Outcome::Unknown(reason) => Err(refused(event, reason)),
            Outcome::Fails { assertion, values } => Err(self.failure(event, assertion, values)),
        }
    }

    fn shell(&mut self, event: &Event, text: &str) -> Taken {
        let changes = shell::changes(text, event.line, self.read);
        let changes = changes.map_err(not_runnable)?;
        for change in &changes {
            self.host.change(change).map_err(|reason| refused(event, reason))?;
        }
        Ok(())
    }

    /// The calls that still wait get the time that they have.
    fn end(&mut self) -> Taken {
        if let Some(until) = self.waiting.iter().map(|waiting| waiting.until).max() {
            self.host.pass_until(until + self.tolerance + self.tolerance);
            self.finish_waiting()?;
        }
        Ok(())
    }
}

/// True if a call returns what the script says, if it does.
fn is_value(written: &str, value: i64) -> bool {
    written.is_empty() || written == "..." || written.parse() == Ok(value)
}

fn not_runnable(Problem { line, reason }: Problem) -> Verdict {
    Verdict::NotRunnable { line, reason }
}

fn refused(event: &Event, reason: String) -> Verdict {
    not_runnable(Problem::at(event.line, reason))
}

fn timestamp_of(packet: &Packet) -> Option<u32> {
    packet.options.iter().flatten().find_map(|option| match option {
        TcpOption::Timestamps(value, _) => Some(*value),
        _ => None,
    })
}

fn time(at: Time) -> String {
    seconds(script_time(at))
}

fn seconds(time: Duration) -> String {
    format!("{:.6}", time.as_secs_f64())
}
