//! TCP Smart Framing (Mellia, Casetti and Meo 2001): "an initial window of 4 smaller segments, whose aggregate payload is equal to
//! the connection's MSS".

use ackclock_transport::tcp::Recovery;

use crate::common::{ALL, MSS, Pair, Scene, data};

fn framed(recovery: Recovery, packets: u64) -> Scene {
    Scene::file(recovery, packets).set(|settings| settings.smart_framing = true)
}

/// The payloads sent in each round trip of 200 ms.
fn rounds(pair: &Pair) -> Vec<Vec<u64>> {
    let mut rounds: Vec<Vec<u64>> = Vec::new();
    for entry in pair.log.iter().filter(|entry| entry.segment.length > 0) {
        let round = (entry.at.as_nanos() / 200_000_000) as usize;
        rounds.resize(rounds.len().max(round + 1), Vec::new());
        rounds[round].push(entry.segment.length.into());
    }
    rounds
}

/// burst-tcp, 3.3.4: "its framing scheme conserves the data amount sent by Slow Start": one packet, two, four and eight.
#[test]
fn small_windows_leave_in_four_segments_and_carry_what_slow_start_carries() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let pair = framed(recovery, 15).play();
        let quarter = MSS / 4;
        let expected = [vec![quarter; 4], vec![2 * quarter; 4], vec![MSS; 4], vec![MSS; 8]];
        assert_eq!(rounds(&pair), expected, "{recovery}");
        assert_eq!(pair.receiver.delivered_bytes(), 15 * MSS);
    }
}

/// burst-tcp, 3.3.3: "the sender will have a better chance to receive three duplicated ACKs": without small segments the loss
/// of the first packet waits for the timer, which expires after a second.
#[test]
fn the_loss_of_the_first_segment_brings_three_duplicates() {
    for recovery in ALL {
        let pair = framed(recovery, 10).lose([data(0)]).play();
        assert_eq!(pair.counters().timeouts, 0, "{recovery}");
        let alone = Scene::file(recovery, 10).lose([data(0)]).play();
        assert_eq!(alone.counters().timeouts, 1, "{recovery}");
    }
}

/// The controller learns of packets, which are full segments: a loss among four quarters is one in a flight of one packet.
#[test]
fn the_flight_is_in_packets() {
    let pair = framed(Recovery::NewReno, 10).lose([data(0)]).play();
    let flights: Vec<f64> = pair.record.episodes().iter().map(|event| event.flight).collect();
    assert_eq!(flights, [1.0]);
}
