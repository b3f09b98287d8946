//! The program itself between two name spaces. Needs root and TUN devices; elsewhere the tests pass with a message.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use nix::sched::{CloneFlags, setns};
use serde_json::{Value, json};

/// True where links can be made; otherwise says why the test is skipped.
fn is_possible() -> bool {
    let is_root = nix::unistd::geteuid().is_root();
    let possible = is_root && Path::new("/dev/net/tun").exists() && ip(&["netns", "list"]).status.success();
    if !possible {
        println!("skipped: an emulated link needs root, /dev/net/tun and iproute2");
    }
    possible
}

fn ip(arguments: &[&str]) -> Output {
    Command::new("ip").args(arguments).output().expect("iproute2")
}

fn exists(name: &str) -> bool {
    Path::new("/run/netns").join(name).exists()
}

/// Names of this process and test.
fn names(test: &str) -> [String; 2] {
    ["a", "b"].map(|end| format!("al-{test}-{end}-{}", std::process::id()))
}

/// A link that is up.
fn up(names: &[String; 2], more: &[&str]) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ackclock-link"))
        .args(names)
        .args(["--rate", "10 Mbit/s", "--delay", "5 ms", "--json"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut line = String::new();
    let mut errors = BufReader::new(child.stderr.take().expect("standard error"));
    errors.read_line(&mut line).expect("a line");
    assert!(line.starts_with("up: "), "{line}");
    child.stderr = Some(errors.into_inner());
    child
}

/// Ends a link as Ctrl-C does: its report.
fn interrupt(child: Child) -> Value {
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("a running program");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("a report")
}

/// A UDP socket in a name space.
fn socket(name: &str, address: &'static str) -> UdpSocket {
    let place = File::open(Path::new("/run/netns").join(name)).expect("a name space");
    let made = thread::spawn(move || {
        setns(place, CloneFlags::CLONE_NEWNET).expect("root");
        let socket = UdpSocket::bind(address).expect("an address of the link");
        socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a time limit");
        socket
    });
    made.join().expect("a socket")
}

#[test]
fn packets_cross_the_link_and_nothing_is_left_behind() {
    if !is_possible() {
        return;
    }
    let names = names("cross");
    let child = up(&names, &[]);
    let (near, far) = (socket(&names[0], "10.77.0.1:4000"), socket(&names[1], "10.77.0.2:4000"));
    let mut buffer = [0; 2000];
    for length in [1, 1000, 1472] {
        near.send_to(&vec![7; length], "10.77.0.2:4000").expect("a datagram sent");
        let (arrived, from) = far.recv_from(&mut buffer).expect("a datagram");
        assert_eq!((&buffer[..arrived], from.port()), (vec![7; length].as_slice(), 4000));
    }
    far.send_to(&[1], "10.77.0.1:4000").expect("a datagram sent");
    assert_eq!(near.recv_from(&mut buffer).expect("a datagram").0, 1);
    let report = interrupt(child);
    assert!(names.iter().all(|name| !exists(name)), "name spaces are removed");
    let [there, back] = [0, 1].map(|direction| report["directions"][direction].clone());
    assert_eq!(
        (&there["delivered"], &there["bytes_delivered"]),
        (&json!(3), &json!(1 + 1000 + 1472 + 3 * 28))
    );
    assert_eq!((&back["delivered"], &back["dropped_queue"]), (&json!(1), &json!(0)));
}

#[test]
fn the_delay_of_the_host_is_measured_before_the_link_is_up() {
    if !is_possible() {
        return;
    }
    let report = interrupt(up(&names("calibrate"), &["--calibrate"]));
    let added = report["host_delay_s"].as_f64().expect("a time");
    assert!(added > 0.0, "a host that adds nothing");
    assert!(
        report["directions"].as_array().expect("two").iter().all(|direction| direction["delivered"] == 0)
    );
    assert_eq!(interrupt(up(&names("plain"), &[]))["host_delay_s"], Value::Null);
}

#[test]
fn name_spaces_that_were_there_stay() {
    if !is_possible() {
        return;
    }
    let names = names("stay");
    assert!(ip(&["netns", "add", &names[0]]).status.success());
    let child = up(&names, &[]);
    interrupt(child);
    let (kept, other) = (exists(&names[0]), exists(&names[1]));
    let devices = ip(&["-netns", &names[0], "-brief", "link"]);
    ip(&["netns", "delete", &names[0]]);
    assert!(kept && !other, "one was there, the other was made");
    assert!(!String::from_utf8_lossy(&devices.stdout).contains("ackclock"), "the device is gone");
}

/// A program cannot answer `kill -9`: another process removes its name spaces.
#[test]
fn a_killed_program_leaves_nothing_behind() {
    if !is_possible() {
        return;
    }
    for round in 0..3 {
        let names = names(&format!("kill{round}"));
        let mut child = up(&names, &[]);
        assert!(names.iter().all(|name| exists(name)));
        child.kill().expect("a running program");
        child.wait().expect("an end");
        assert_gone(&names);
    }
}

/// No name space of these and no device is left, soon after the program was killed.
fn assert_gone(names: &[String; 2]) {
    let gone = (0..100).any(|_| {
        #[expect(clippy::disallowed_methods, reason = "another process removes them, in the host's time")]
        thread::sleep(Duration::from_millis(50));
        names.iter().all(|name| !exists(name))
    });
    assert!(gone, "name spaces are removed");
    let devices = ip(&["-brief", "link"]);
    assert!(!String::from_utf8_lossy(&devices.stdout).contains("ackclock"), "no device is left");
}

/// Hands a device bytes that are no packets: datagrams with bytes changed and ends cut off, and bytes at random.
const MALFORMED: &str = "
import random, socket
draw = random.Random(46)
device = next(name for _, name in socket.if_nameindex() if name != 'lo')
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind((device, 0x0800))
whole = bytes.fromhex('4500002800010000401100000a4d00010a4d00020fa00fa000140000') + bytes(12)
sent = 0
for number in range(5000):
    data = bytearray(whole if number % 2 else draw.randbytes(draw.randrange(1, 1500)))
    for _ in range(draw.randrange(8)):
        data[draw.randrange(len(data))] = draw.randrange(256)
    try:
        sent += raw.send(data[: draw.randrange(1, len(data) + 1)]) > 0
    except OSError:
        pass  # the queue of the device is full
print(sent)
";

/// A link that gets bytes that are no packets, in both directions, carries the next datagram all the same, and leaves nothing
/// behind when it is killed while more of them come.
#[test]
fn malformed_packets_do_not_end_the_link() {
    if !is_possible() {
        return;
    }
    let names = names("malformed");
    let mut child = up(&names, &["--buffer", "10 packets"]);
    for name in &names {
        let sent = ip(&["netns", "exec", name, "python3", "-c", MALFORMED]);
        let count: u32 = String::from_utf8_lossy(&sent.stdout).trim().parse().unwrap_or_default();
        assert!(count > 1000, "{sent:?}");
    }
    let (near, far) = (socket(&names[0], "10.77.0.1:4000"), socket(&names[1], "10.77.0.2:4000"));
    near.send_to(&[7; 100], "10.77.0.2:4000").expect("a datagram sent");
    assert_eq!(far.recv_from(&mut [0; 2000]).expect("a datagram").0, 100);
    assert!(child.try_wait().expect("a child").is_none(), "the program goes on");
    let mut more = Command::new("ip");
    let mut more = more.args(["netns", "exec", &names[0], "python3", "-c", MALFORMED]);
    more = more.stdout(Stdio::null()).stderr(Stdio::null());
    let mut more = more.spawn().expect("another sender");
    child.kill().expect("a running program");
    child.wait().expect("an end");
    more.wait().expect("an end");
    assert_gone(&names);
}

#[test]
fn a_failure_leaves_nothing_behind() {
    if !is_possible() {
        return;
    }
    let names = names("fail");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackclock-link"));
    command.args(&names).args(["--rate", "1 Mbit/s", "--delay", "1 ms", "--far-address", "10.77.0.2/99"]);
    let output = command.output().expect("the program");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("10.77.0.2/99"), "{output:?}");
    assert!(names.iter().all(|name| !exists(name)), "name spaces are removed");
}
