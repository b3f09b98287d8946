//! Controllers in this machine's kernel, between two network name spaces; skipped with a message where the machine lacks something.
#![cfg(target_os = "linux")]

mod pair;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs};
use ackclock_kernel::host::{Algorithm, Report, Session};
use ackclock_kernel::{Factory, Kind, Machine};
use nix::poll::{PollTimeout, poll};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpCongestion;
use pair::{FAR, Pair};

/// False, with a message, where tests cannot run.
fn is_able() -> bool {
    let mut lacks = Machine::read(Path::new("/")).lacks();
    if lacks.is_empty()
        && let Err(lack) = Pair::get()
    {
        lacks.push(lack);
    }
    if !lacks.is_empty() {
        eprintln!("skipped: {}", lacks.join(" "));
    }
    lacks.is_empty()
}

/// A session in a thread of its own.
struct Running {
    stop: Arc<AtomicBool>,
    served: thread::JoinHandle<Result<Vec<Report>, String>>,
}

impl Running {
    fn start(algorithms: Vec<(&str, Factory)>) -> Running {
        let algorithm =
            |(name, factory): (&str, Factory)| Algorithm { name: name.to_owned(), factory, observer: None };
        Running::of(algorithms.into_iter().map(algorithm).collect())
    }

    fn of(algorithms: Vec<Algorithm>) -> Running {
        let session = Session::open(algorithms).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let watched = Arc::clone(&stop);
        Running { stop, served: thread::spawn(move || session.serve(&watched)) }
    }

    fn stop(self) -> Vec<Report> {
        self.stop.store(true, Ordering::Relaxed);
        self.served.join().unwrap().unwrap()
    }
}

/// Sends this many bytes with an algorithm from one name space to the other; gives those that arrived.
fn send(algorithm: &str, bytes: usize) -> usize {
    send_with(algorithm, bytes, |_| {})
}

/// The same, and `between` is called with the bytes sent so far.
fn send_with(algorithm: &str, bytes: usize, mut between: impl FnMut(usize)) -> usize {
    let pair = Pair::get().unwrap();
    let listener = pair.far(|| TcpListener::bind((FAR, 0))).unwrap();
    let address = listener.local_addr().unwrap();
    let mut sender = pair.near(|| TcpStream::connect(address)).unwrap();
    setsockopt(&sender, TcpCongestion, &OsString::from(algorithm)).unwrap();
    let mut receiver = listener.accept().unwrap().0;
    let arrived = thread::spawn(move || receiver.read_to_end(&mut Vec::new()).unwrap());
    let part = vec![0; bytes.min(1 << 16)];
    for sent in (0..bytes).step_by(part.len()) {
        sender.write_all(&part[..part.len().min(bytes - sent)]).unwrap();
        between(sent);
    }
    drop(sender);
    arrived.join().unwrap()
}

#[test]
fn several_algorithms_have_a_name_each() {
    if !is_able() {
        return;
    }
    let of = |spec: &str| Factory::of(spec).unwrap().checked();
    let running = Running::start(vec![("ackt_reno", of("reno")), ("ackt_bbr3", of("bbr3"))]);
    for name in ["ackt_reno", "ackt_bbr3"] {
        assert_eq!(send(name, 4_000_000), 4_000_000);
    }
    let taken =
        Session::open(vec![Algorithm { name: "ackt_reno".to_owned(), factory: of("cubic"), observer: None }]);
    assert!(taken.err().unwrap().contains("has a congestion control ackt_reno"));
    for report in running.stop() {
        assert_eq!((report.flows, report.failed, report.dropped), ([1, 0], 0, 0), "{report:?}");
        assert!(report.acks[0] > 20, "{report:?}");
        assert_eq!(report.counts.len(), 1, "the flow's controller, and its end: {report:?}");
    }
}

/// Slots are free again when connections end: prototypes of others ran out of numbers after 255.
#[test]
fn connections_in_sequence_and_at_once_find_slots() {
    if !is_able() {
        return;
    }
    let running = Running::start(vec![("ackt_slots", Factory::of("cubic").unwrap().checked())]);
    for _ in 0..300 {
        assert_eq!(send("ackt_slots", 20_000), 20_000);
    }
    let at_once: Vec<_> = (0..32).map(|_| thread::spawn(|| send("ackt_slots", 500_000))).collect();
    for connection in at_once {
        assert_eq!(connection.join().unwrap(), 500_000);
    }
    let report = running.stop().remove(0);
    assert_eq!((report.flows, report.failed, report.dropped), ([332, 0], 0, 0), "{report:?}");
}

/// A policy that always asks for twice the window, and may have 40 packets: the kernel's window is 10 as in the beginning, 20, and 40.
#[test]
fn a_trained_policy_sets_the_windows_of_the_kernel() {
    if !is_able() {
        return;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doubling.json");
    let weights = r#"{"observe": ["loss_share"], "layers": [{"weights": [[0.0]], "bias": [1.0], "activation": "identity"}],
        "largest_window_packets": 40.0}"#;
    fs::write(&file, weights).unwrap();
    let windows = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&windows);
    let algorithm = Algorithm {
        name: "ackt_policy".to_owned(),
        factory: Factory::of(file.to_str().unwrap()).unwrap().checked(),
        observer: Some(Box::new(move |_, event, _| {
            if event.kind == Kind::Ack {
                seen.lock().unwrap().push(event.cwnd);
            }
        })),
    };
    let running = Running::of(vec![algorithm]);
    assert_eq!(send("ackt_policy", 4_000_000), 4_000_000);
    let report = running.stop().remove(0);
    assert_eq!((report.flows, report.failed, report.dropped), ([1, 0], 0, 0), "{report:?}");
    let windows = windows.lock().unwrap();
    assert!(windows.iter().all(|window| [10, 20, 40].contains(window)), "{windows:?}");
    assert!(
        windows.is_sorted() && windows.iter().filter(|window| **window == 40).count() > 20,
        "{windows:?}"
    );
}

/// Waits between two parts: a panic takes its time to describe itself.
fn slowly(_: usize) {
    let _ = poll(&mut [], PollTimeout::from(8_u8));
}

/// A controller with a window of ten packets that answers some acknowledgments, and then ends in another way.
#[derive(Clone)]
struct Answers {
    left: u32,
    then: fn() -> !,
}

impl CongestionControl for Answers {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn on_ack(&mut self, _: &Ack) -> Decision {
        self.left = self.left.checked_sub(1).unwrap_or_else(|| (self.then)());
        self.decision()
    }

    fn on_congestion(&mut self, _: &Congestion) -> Decision {
        self.decision()
    }

    fn on_event(&mut self, _: &Event) -> Decision {
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision::window(10.0)
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}

/// Controllers that answer `left` acknowledgments.
fn answers(left: u32, then: fn() -> !) -> Factory {
    Factory::custom(move |_| Box::new(Answers { left, then }))
}

fn fail() -> ! {
    panic!("a controller that fails in this test")
}

fn never_return() -> ! {
    loop {
        thread::yield_now();
    }
}

#[test]
fn a_controller_that_fails_leaves_its_flow_working_and_others_theirs() {
    if !is_able() {
        return;
    }
    let running = Running::start(vec![
        ("ackt_fails", answers(10, fail)),
        ("ackt_works", Factory::of("cubic").unwrap()),
    ]);
    assert_eq!(send_with("ackt_fails", 16_000_000, slowly), 16_000_000);
    assert_eq!(send("ackt_works", 8_000_000), 8_000_000);
    let [failed, works] = running.stop().try_into().expect("two reports");
    assert_eq!(failed.failed, 1);
    assert!(failed.acks[1] > 0, "acknowledgments as Reno: {failed:?}");
    assert_eq!(works.failed, 0);
}

/// In a process of its own, since its end is that of the program.
#[test]
fn a_controller_that_never_returns_leaves_its_flow_to_reno_and_ends_with_the_program() {
    const INNER: &str = "ACKCLOCK_ENDLESS";
    const NAME: &str = "a_controller_that_never_returns_leaves_its_flow_to_reno_and_ends_with_the_program";
    if !is_able() {
        return;
    }
    if env::var_os(INNER).is_some() {
        let running = Running::start(vec![("ackt_endless", answers(9, never_return))]);
        assert_eq!(send_with("ackt_endless", 16_000_000, slowly), 16_000_000);
        println!("all has arrived");
        running.stop();
        unreachable!("the program has ended");
    }
    let mut again = Command::new(env::current_exe().unwrap());
    let output = again.args(["--exact", NAME, "--nocapture"]).env(INNER, "1").output().unwrap();
    let [said, warned] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(said.contains("all has arrived"), "{said}{warned}");
    assert!(warned.contains("does not return; flows go on as Reno"), "{warned}");
    assert_eq!(output.status.code(), Some(1), "{warned}");
}

#[test]
fn after_the_end_of_a_session_flows_go_on() {
    if !is_able() {
        return;
    }
    let mut running = Some(Running::start(vec![("ackt_ends", Factory::of("bbr3").unwrap())]));
    let sent = send_with("ackt_ends", 16_000_000, |sent| {
        if sent > 4_000_000
            && let Some(running) = running.take()
        {
            assert!(running.stop()[0].acks[0] > 0);
        }
    });
    assert_eq!(sent, 16_000_000);
}

#[test]
fn after_kill_9_flows_go_on() {
    if !is_able() {
        return;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackclock-kernel"));
    let spawned = command.args(["run", "cubic", "--name", "ackt_killed"]).stderr(Stdio::piped()).spawn();
    let mut child = spawned.unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ackt_killed: cubic\n");
    let sent = send_with("ackt_killed", 16_000_000, |sent| {
        if (4_000_000..4_000_000 + (1 << 16)).contains(&sent) {
            child.kill().unwrap();
        }
    });
    assert_eq!(sent, 16_000_000);
    child.wait().unwrap();
}

/// Exit code 2 and a sentence, nothing else.
#[test]
fn wrong_arguments_are_refused_in_sentences() {
    if !is_able() {
        return;
    }
    for (arguments, sentence) in [
        (&["run", "cubik"][..], "cubic"),
        (&["run", "cubic", "--name", "ack-cubic"], "letters, digits and underscores"),
        (&["run", "cubic", "reno", "--name", "one"], "2 algorithms and 1 names"),
        (&["run", "dctcp"], "number of marked packets"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_ackclock-kernel")).args(arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(sentence) && !message.contains("panicked"), "{message}");
    }
}
