//! The meaning of the language, by its documentation.

use ackclock_units::Duration;

use super::script;
use crate::script::{Action, Direction, EcnField, TcpOption, WhenKind};

#[test]
fn times_are_absolute_relative_ranges_or_any() {
    let text = "0 close(1) = 0\n+.5 close(1) = 0\n+0.1~+0.25 > . 1:1(0) ack 1\n* > . 1:1(0) ack 1\n\
                +0...0.010 connect(3, ..., ...) = 0\nclose(2) = 0";
    let events = script(text).unwrap().events;
    let whens: Vec<_> = events.iter().map(|event| event.when).collect();
    assert_eq!(
        (whens[0].kind, whens[1].kind, whens[3].kind),
        (WhenKind::Absolute, WhenKind::Relative, WhenKind::Any)
    );
    assert_eq!(whens[1].from, Duration::from_millis(500));
    assert_eq!(
        (whens[2].from, whens[2].until),
        (Duration::from_millis(100), Some(Duration::from_millis(250)))
    );
    assert_eq!(whens[4].until, Some(Duration::from_millis(10)));
    assert_eq!((whens[5].kind, whens[5].from), (WhenKind::Relative, Duration::ZERO));
}

#[test]
fn a_packet_has_its_flags_numbers_and_options() {
    let text = "+0 < [ect0] EAP. 1:1001(1000) ack 7 win 257 <nop,nop,TS val 10 ecr 20,sack 3:4 5:6>";
    let Action::Packet(packet) = script(text).unwrap().events.remove(0).action else { panic!() };
    assert_eq!((packet.direction, packet.ecn), (Direction::In, Some(EcnField::Capable0)));
    assert_eq!(packet.flags, "EA.", "P has no meaning");
    assert_eq!((packet.start, packet.end, packet.length), (1, 1001, 1000));
    assert_eq!((packet.ack, packet.window), (Some(7), Some(257)));
    let options = vec![TcpOption::Timestamps(10, 20), TcpOption::Sack(vec![(3, 4), (5, 6)])];
    assert_eq!(packet.options, Some(options));
}

#[test]
fn comments_commands_and_python_stand_between_events() {
    let text = "// one\n--tolerance_usecs=10000\n`sysctl -q a=1\nb`\n0 %{\nassert 1 }%\n/* two\n */ +1 > S 0:0(0) <...>";
    let script = script(text).unwrap();
    assert_eq!(script.tolerance, Some(Duration::from_millis(10)));
    let lines: Vec<_> = script.events.iter().map(|event| event.line).collect();
    assert_eq!(lines, [3, 5, 8]);
    assert!(matches!(&script.events[2].action, Action::Packet(packet) if packet.options.is_none()));
}

/// The SYN has the number of a wire, and so has what acknowledges it in another SYN.
#[test]
fn numbers_count_from_the_syn_of_their_end() {
    let text = "0 < S 9000:9040(40) win 1\n0 > S. 1234:1234(0) ack 9001\n0 < . 1:11(10) ack 1\n\
                0 < S 70:70(0) win 1\n0 > S. 5:5(0) ack 71";
    let read = script(text).unwrap();
    let numbers = read.events.iter().map(|event| match &event.action {
        Action::Packet(packet) => (packet.start, packet.end, packet.ack),
        _ => panic!(),
    });
    let expected = [(0, 40, None), (0, 0, Some(1)), (1, 11, Some(1)), (0, 0, None), (0, 0, Some(1))];
    assert_eq!(numbers.collect::<Vec<_>>(), expected);
}

/// The field ACE as a number: 5 is AE and ECE, 6 is AE and CWR.
#[test]
fn the_field_ace_is_flags() {
    for (text, expected) in
        [("0 > P.5 1:2(1) ack 1", ".AE"), ("0 > P6. 1:2(1) ack 1", "AW."), ("0 > .0 1:1(0) ack 1", ".")]
    {
        let read = script(text).unwrap();
        assert!(
            matches!(&read.events[0].action, Action::Packet(packet) if packet.flags == expected),
            "{text}"
        );
    }
}

#[test]
fn what_has_no_meaning_here_is_said_with_its_line() {
    for (text, reason) in [
        ("\n0 < icmp unreachable frag_needed mtu 500", "ICMP"),
        ("\n0 > S 0:0(0) <mss 1460,FO abcd>", "Fast Open"),
        ("\n--ip_version=ipv6", "ip_version"),
        ("\n0 < ? 0:0(0)", "flags"),
        ("\n0 `unclosed", "end `"),
        ("\n0 write(3, ..., [", "closing"),
    ] {
        let problem = script(text).unwrap_err();
        assert_eq!(problem.line, 2, "{text}");
        assert!(problem.reason.contains(reason), "{}", problem.reason);
    }
}
