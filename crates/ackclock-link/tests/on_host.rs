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

#[expect(clippy::disallowed_methods, reason = "other processes act, in the host's time")]
fn wait(time: Duration) {
    thread::sleep(time);
}

/// No name space of these and no device is left, soon after the program was killed.
fn assert_gone(names: &[String; 2]) {
    let gone = (0..100).any(|_| {
        wait(Duration::from_millis(50));
        names.iter().all(|name| !exists(name))
    });
    assert!(gone, "name spaces are removed");
    let devices = ip(&["-brief", "link"]);
    assert!(!String::from_utf8_lossy(&devices.stdout).contains("ackclock"), "no device is left");
}

/// Hands a device bytes that are no packets, of a seed: of IPv4 and IPv6, with wrong lengths and checksums, as fragments, with extension
/// headers of any kind and order, cut off, empty, as long as a device takes, and at random. Prints the number of each kind that was sent.
const MALFORMED: &str = "
import random, socket, struct, sys
draw = random.Random(int(sys.argv[1]))
device = next(name for _, name in socket.if_nameindex() if name != 'lo')
raw = {}
for kind in (0x0800, 0x86DD):
    raw[kind] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    raw[kind].bind((device, kind))

def four(length=None, fragment=0, protocol=17, words=5, body=bytes(12)):
    udp = struct.pack('!HHHH', 4000, 4000, 8 + len(body), draw.randrange(65536)) + body
    length = 4 * words + len(udp) if length is None else length
    return struct.pack('!BBHHHBBH4s4s', 0x40 | words, draw.randrange(256), length & 0xFFFF, 1, fragment, 64, protocol,
                       draw.randrange(65536), b'\\x0a\\x4d\\x00\\x01', b'\\x0a\\x4d\\x00\\x02') + bytes(max(4 * words - 20, 0)) + udp

def six():
    chain = [draw.choice((0, 43, 44, 50, 51, 60, 135, 139, 140, 253)) for _ in range(draw.randrange(12))] + [draw.choice((6, 17, 58, 59))]
    body = b''
    for after in chain[1:]:
        body += bytes([after, draw.choice((0, 0, 1, 255))]) + draw.randbytes(6)
    body += draw.randbytes(draw.randrange(40))
    length = draw.choice((len(body), 0, 65535, draw.randrange(65536)))
    return struct.pack('!IHBB', 6 << 28 | draw.randrange(1 << 28), length, chain[0], 64) + bytes(15) + b'1' + bytes(15) + b'2' + body

KINDS = {
    'cut off': lambda: (0x0800, four()[: draw.randrange(1, 40)]),
    'wrong length': lambda: (0x0800, four(length=draw.choice((0, 19, 20, 21, 41, 65535)))),
    'wrong words': lambda: (0x0800, four(words=draw.choice((0, 1, 4, 6, 15)))),
    'fragment': lambda: (0x0800, four(fragment=draw.randrange(65536), protocol=draw.choice((1, 6, 17, 51, 255)))),
    'extensions': lambda: (0x86DD, six()),
    'cut off extensions': lambda: (0x86DD, six()[: draw.randrange(1, 80)]),
    'other family': lambda: (draw.choice(list(raw)), bytes([draw.randrange(256)]) + four()[1:]),
    'giant': lambda: (0x0800, four(body=draw.randbytes(draw.choice((9000, 60000, 65507))))),
    'empty': lambda: (0x0800, b''),
    'random': lambda: (draw.choice(list(raw)), draw.randbytes(draw.randrange(1, 1500))),
}
sent = dict.fromkeys(KINDS, 0)
for number in range(4000):
    name = list(KINDS)[number % len(KINDS)]
    kind, data = KINDS[name]()
    try:
        raw[kind].send(data)
        sent[name] += 1
    except OSError:
        pass  # the queue of the device is full, or the device takes no such bytes
import json; print(json.dumps(sent))
";

/// The kinds of malformed packets that Linux hands to a device. It takes no frame of no bytes.
const KINDS: [&str; 9] = [
    "cut off",
    "wrong length",
    "wrong words",
    "fragment",
    "extensions",
    "cut off extensions",
    "other family",
    "giant",
    "random",
];

/// A link that gets bytes that are no packets, in both directions, carries the next datagram all the same, and leaves nothing
/// behind when it is killed while more of them come.
#[test]
fn malformed_packets_do_not_end_the_link() {
    if !is_possible() {
        return;
    }
    let names = names("malformed");
    let mut child = up(&names, &["--buffer", "10 packets", "--mtu", "65535"]);
    for (name, seed) in names.iter().zip(["46", "47"]) {
        let sent = ip(&["netns", "exec", name, "python3", "-c", MALFORMED, seed]);
        let counts: Value = serde_json::from_slice(&sent.stdout).unwrap_or_else(|_| panic!("{sent:?}"));
        for kind in KINDS {
            assert!(counts[kind].as_u64().is_some_and(|count| count >= 100), "{kind}: {counts}");
        }
    }
    let (near, far) = (socket(&names[0], "10.77.0.1:4000"), socket(&names[1], "10.77.0.2:4000"));
    near.send_to(&[7; 100], "10.77.0.2:4000").expect("a datagram sent");
    assert_eq!(far.recv_from(&mut [0; 2000]).expect("a datagram").0, 100);
    assert!(child.try_wait().expect("a child").is_none(), "the program goes on");
    let mut more = Command::new("ip");
    let mut more = more.args(["netns", "exec", &names[0], "python3", "-c", MALFORMED, "48"]);
    more = more.stdout(Stdio::null()).stderr(Stdio::null());
    let mut more = more.spawn().expect("another sender");
    child.kill().expect("a running program");
    child.wait().expect("an end");
    more.wait().expect("an end");
    assert_gone(&names);
}

/// The remains of a link on the host: name spaces, devices and routes of the host, and processes that know one of these names.
fn left(names: &[String; 2]) -> Vec<String> {
    let mut left: Vec<String> = names.iter().filter(|name| exists(name)).cloned().collect();
    for what in ["link", "route"] {
        let listed = ip(&[what]);
        left.extend(
            String::from_utf8_lossy(&listed.stdout)
                .lines()
                .filter(|line| line.contains("ackclock"))
                .map(str::to_owned),
        );
    }
    for process in std::fs::read_dir("/proc").expect("processes").flatten() {
        let command = std::fs::read_to_string(process.path().join("cmdline")).unwrap_or_default();
        left.extend(names.iter().any(|name| command.contains(name)).then_some(command));
    }
    left
}

/// A program cannot answer `kill -9`: another process removes its name spaces. Killed at twenty moments, from the first millisecond on, in which name spaces and devices are still being made, until packets cross;
/// the same names are free again each time.
#[test]
fn a_kill_at_any_moment_leaves_nothing_behind() {
    if !is_possible() {
        return;
    }
    let names = names("moment");
    for moment in 0..20_u64 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ackclock-link"))
            .args(&names)
            .args(["--rate", "10 Mbit/s", "--delay", "5 ms"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program");
        wait(Duration::from_millis(moment * moment / 3));
        child.kill().expect("a running program");
        child.wait().expect("an end");
        let is_gone = (0..200).any(|_| {
            wait(Duration::from_millis(20));
            left(&names).is_empty()
        });
        assert!(is_gone, "moment {moment}: {:?}", left(&names));
    }
    interrupt(up(&names, &[]));
    assert_eq!(left(&names), [""; 0]);
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
