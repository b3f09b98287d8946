//! TCP's throughput equation and its inverse (RFC 5348, 3.1 and 6.3.1).

/// The packets that one acknowledgment covers (`b`). RFC 5348 uses 1, since TCP does not require delayed
/// ACKs.
const PACKETS_PER_ACK: f64 = 1.0;

/// The rate of a TCP connection in bytes per second (RFC 5348, 3.1, after Padhye et al., SIGCOMM 1998).
///
/// `size` is in bytes, `rtt` and the retransmission timeout `rto` in seconds, `p` is the loss event rate, above 0 and
/// at most 1.
pub fn throughput(size: f64, rtt: f64, rto: f64, p: f64) -> f64 {
    let avoidance = rtt * (2.0 * PACKETS_PER_ACK * p / 3.0).sqrt();
    let timeouts = rto * (3.0 * (3.0 * PACKETS_PER_ACK * p / 8.0).sqrt()) * p * (1.0 + 32.0 * p * p);
    size / (avoidance + timeouts)
}

/// The loss event rate at which [`throughput`] is `rate` bytes per second; 1 if it is larger even at 1.
///
/// RFC 5348 (6.3.1) accepts a rate within 5 %; this one is found to the last bits by bisection.
pub fn loss_event_rate_for(size: f64, rtt: f64, rto: f64, rate: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if throughput(size, rtt, rto, middle) > rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
