//! What RFC 3649 prints of HSTCP, and what mesonet, 5.2.4, makes of it.

use crate::common::stream::{Stream, mean_window};
use crate::common::{BASE_RTT, Path, assert_near};

/// RFC 3649's values in mesonet's formulas.
const RFC: &str = "hstcp(low_window=38,offset=0)";

/// RFC 3649, appendix B: the window at which `a(w)` is 1, 2, 3, .. packets per round trip, and `b(w)` there, to two
/// digits.
const TABLE: [(f64, f64); 73] = [
    (38.0, 0.50),
    (118.0, 0.44),
    (221.0, 0.41),
    (347.0, 0.38),
    (495.0, 0.37),
    (663.0, 0.35),
    (851.0, 0.34),
    (1058.0, 0.33),
    (1284.0, 0.32),
    (1529.0, 0.31),
    (1793.0, 0.30),
    (2076.0, 0.29),
    (2378.0, 0.28),
    (2699.0, 0.28),
    (3039.0, 0.27),
    (3399.0, 0.27),
    (3778.0, 0.26),
    (4177.0, 0.26),
    (4596.0, 0.25),
    (5036.0, 0.25),
    (5497.0, 0.24),
    (5979.0, 0.24),
    (6483.0, 0.23),
    (7009.0, 0.23),
    (7558.0, 0.22),
    (8130.0, 0.22),
    (8726.0, 0.22),
    (9346.0, 0.21),
    (9991.0, 0.21),
    (10661.0, 0.21),
    (11358.0, 0.20),
    (12082.0, 0.20),
    (12834.0, 0.20),
    (13614.0, 0.19),
    (14424.0, 0.19),
    (15265.0, 0.19),
    (16137.0, 0.19),
    (17042.0, 0.18),
    (17981.0, 0.18),
    (18955.0, 0.18),
    (19965.0, 0.17),
    (21013.0, 0.17),
    (22101.0, 0.17),
    (23230.0, 0.17),
    (24402.0, 0.16),
    (25618.0, 0.16),
    (26881.0, 0.16),
    (28193.0, 0.16),
    (29557.0, 0.15),
    (30975.0, 0.15),
    (32450.0, 0.15),
    (33986.0, 0.15),
    (35586.0, 0.14),
    (37253.0, 0.14),
    (38992.0, 0.14),
    (40808.0, 0.14),
    (42707.0, 0.13),
    (44694.0, 0.13),
    (46776.0, 0.13),
    (48961.0, 0.13),
    (51258.0, 0.13),
    (53677.0, 0.12),
    (56230.0, 0.12),
    (58932.0, 0.12),
    (61799.0, 0.12),
    (64851.0, 0.11),
    (68113.0, 0.11),
    (71617.0, 0.11),
    (75401.0, 0.10),
    (79517.0, 0.10),
    (84035.0, 0.10),
    (89053.0, 0.10),
    (94717.0, 0.09),
];

/// Packets per round trip that one acknowledgment adds at this window.
fn increase(spec: &str, window: f64) -> f64 {
    let mut stream = Stream::new(spec, window, BASE_RTT);
    stream.packet();
    (stream.cwnd() - window) * window
}

/// The part of this window that a loss takes.
fn decrease(spec: &str, window: f64) -> f64 {
    let mut stream = Stream::new(spec, window, BASE_RTT);
    stream.loss();
    1.0 - stream.cwnd() / window
}

/// The windows are whole packets, and half a packet moves `a` by 0.007 at the most. The table's author also rounded
/// the constants of p(w), which is the rest.
#[test]
fn the_table_of_the_rfc_comes_out() {
    for (row, (window, b)) in (1_u32..).zip(TABLE) {
        assert_near(increase(RFC, window), f64::from(row), 0.05);
        assert_near(decrease(RFC, window), b, 0.0055);
    }
}

/// RFC 3649, section 5, as RFC 9438, Table 1 quotes it: mean windows at loss rates. There it was computed from the
/// loss-free increase and the loss at the mean window; a sawtooth of finite depth lies 3 % off at the small end.
#[test]
fn the_response_function_is_the_rfcs() {
    for (spacing, window, tolerance) in
        [(1_000, 38.0, 0.07), (10_000, 263.0, 0.02), (100_000, 1795.0, 0.02), (1_000_000, 12280.0, 0.02)]
    {
        let (losses, last) = if spacing < 1_000_000 { (30, 10) } else { (8, 2) };
        let found = mean_window(RFC, spacing, BASE_RTT, 0.9 * window, losses, last);
        assert_near(found / window, 1.0, tolerance);
        assert_near(found * f64::from(spacing).powf(-0.835) / 0.12, 1.0, tolerance);
    }
}

/// Mesonet's Table 5-6: half below and at 31 packets, a tenth at 83,000; and between them by the logarithm, so that
/// the middle is at the geometric mean.
#[test]
fn what_a_loss_takes_falls_from_a_half_to_a_tenth() {
    for (window, part) in
        [(20.0, 0.5), (31.0, 0.5), ((31.0_f64 * 83_000.0).sqrt(), 0.3), (83_000.0, 0.1), (1e9, 0.05)]
    {
        assert_near(decrease("hstcp", window), part, 1e-9);
    }
}

/// Eq. 26's added half packet: what standard TCP adds at 31 packets, 1, becomes 1.31 when the threshold is passed.
#[test]
fn mesonet_adds_half_a_packet_to_the_increase() {
    for window in [31.0, 100.0, 1_000.0, 83_000.0] {
        let difference = increase("hstcp", window) - increase("hstcp(offset=0)", window);
        assert_near(difference, 0.5, 1e-6);
    }
    assert_near(increase("hstcp", 30.9), 1.0, 1e-9);
    assert_near(increase("hstcp", 31.0), 1.31, 0.005);
}

/// Eq. 29.
#[test]
fn a_timeout_sets_the_threshold_to_what_a_loss_keeps() {
    let mut path = Path::wide("hstcp", 83_000.0, 2.0);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), 74_700.0, 1e-6);
}
