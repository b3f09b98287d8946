//! Both ends of a connection over UDP sockets, in two threads, on the loopback interface.

#![cfg(target_os = "linux")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;

use ackclock_quic::Stack;
use ackclock_quic::sockets::{Receiving, Sending, receive, send};
use ackclock_units::Duration;

/// A file of this test and process.
fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ackclock-{name}-{}.der", std::process::id()))
}

fn sending(to: SocketAddr, stack: Stack) -> Sending {
    Sending {
        to,
        stack,
        algorithm: "limited(max_ssthresh=100)+reno".to_owned(),
        duration: Duration::from_millis(600),
        warm_up: Duration::from_millis(100),
        segments_per_ack: 2,
        ecn: false,
        checked: true,
        qlog: None,
    }
}

/// The contract of controllers holds by the host's clock too.
#[test]
fn what_is_sent_arrives() {
    for (stack, port) in [(Stack::Quinn, 47_611), (Stack::Noq, 47_612)] {
        let at = SocketAddr::from(([127, 0, 0, 1], port));
        let certificate = file(stack.name());
        let _ = std::fs::remove_file(&certificate);
        let path = certificate.clone();
        let warm_up = Duration::ZERO;
        let receiver = thread::spawn(move || receive(&Receiving { at, stack, warm_up, ecn: false }, &path));
        while !certificate.exists() {
            thread::yield_now();
        }
        let sent = send(&sending(at, stack), &certificate).expect("a receiver that answers");
        let arrived = receiver.join().expect("no panic").expect("a sender");
        std::fs::remove_file(&certificate).expect("the receiver's file");
        assert!(sent.packets > 0 && arrived.bytes > 0, "{stack}: {sent:?}, {arrived:?}");
        assert!(arrived.goodput > 0.0, "{stack}: {arrived:?}");
    }
}

#[test]
fn mistakes_are_sentences() {
    let nobody = SocketAddr::from(([127, 0, 0, 1], 47_613));
    let missing = send(&sending(nobody, Stack::Noq), &file("missing")).unwrap_err();
    assert!(missing.contains("No such file"), "{missing}");
    let refused = Sending { algorithm: "bbr3".to_owned(), ..sending(nobody, Stack::Quinn) };
    assert!(send(&refused, &file("missing")).unwrap_err().contains("takes no rate"));
    let empty = file("empty");
    std::fs::write(&empty, b"no certificate").expect("a file");
    let wrong = send(&sending(nobody, Stack::Noq), &empty).unwrap_err();
    std::fs::remove_file(&empty).expect("the file");
    assert!(wrong.contains("no certificate"), "{wrong}");
}
