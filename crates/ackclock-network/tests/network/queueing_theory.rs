//! A link under random traffic against queueing theory.

use crate::common::{byte_per_microsecond, packet, single};
use ackclock_network::{Class, EventList, LinkId, LinkStats};
use ackclock_random::RandomStream;
use ackclock_units::{Duration, Time};

const SERVICE_MICROS: u32 = 1_000;

/// A link under Poisson arrivals at the given load for the time of `services` transmissions of 1000 us.
///
/// `size` draws a packet's bytes (and microseconds).
fn poisson(load: f64, services: u64, mut size: impl FnMut(&mut RandomStream) -> u32) -> LinkStats {
    let (mut network, route) = single(byte_per_microsecond(Duration::ZERO), 1);
    let (mut gaps, mut sizes) = (RandomStream::new(5, "gaps"), RandomStream::new(5, "sizes"));
    let mut events = EventList::new();
    let mean = f64::from(SERVICE_MICROS) * 1e-6 / load;
    let warm_up = Time::ZERO + Duration::from_micros(u64::from(SERVICE_MICROS)) * 1_000;
    let end = warm_up + Duration::from_micros(u64::from(SERVICE_MICROS)) * services;
    events.schedule(warm_up, Class::Control, 0);
    events.schedule(Time::ZERO, Class::Timer, 0);
    while let Some(event) = events.pop_until(end) {
        match event.class {
            Class::Link => {
                let _ = network.arrive(LinkId::new(event.target), event.time, &mut events);
            }
            Class::Timer => {
                let _ = network.send(event.time, &packet(route, size(&mut sizes), 0), &mut events);
                let gap = Duration::from_secs_f64(gaps.exponential(mean));
                events.schedule(event.time + gap, Class::Timer, 0);
            }
            Class::Control => network.measure_from(event.time),
        }
    }
    network.link_stats(LinkId::new(0), end)
}

/// Compares with Pollaczek and Khinchine: waiting = load / (1 - load) * (1 + scv) / 2 services, scv the squared
/// coefficient of variation of the service times.
fn compare(stats: &LinkStats, load: f64, scv: f64, services: f64) {
    let waiting = load / (1.0 - load) * (1.0 + scv) / 2.0;
    let queue = load * waiting;
    // Whitt, "Planning queueing simulations" (Management Science 35, 1989): in heavy traffic the time average of a
    // queue over T services has the variance s^3 / (2 (1 - load)^4 T) with s the sum of both squared coefficients of
    // variation; at lower loads it is smaller, by more than the factor load^2 taken here. Four standard deviations;
    // the mean waiting time is as uncertain as the queue, relatively.
    let s = 1.0 + scv;
    let deviation = (s.powi(3) * load.powi(2) / (2.0 * (1.0 - load).powi(4) * services)).sqrt();
    let measured = stats.mean_queue_packets();
    assert!((measured - queue).abs() < 4.0 * deviation, "queue {measured} for {queue} +- {deviation}");
    let measured = stats.mean_queueing_delay_secs() / (f64::from(SERVICE_MICROS) * 1e-6);
    assert!(
        (measured - waiting).abs() < 4.0 * deviation / load,
        "waiting {measured} for {waiting} +- {deviation}"
    );
    // Work arrives as a compound Poisson process: mean load, variance load (1 + scv) per service; the work not yet
    // done at either end is of the order of a few services.
    let spread = (load * s / services).sqrt() + 50.0 / services;
    let measured = stats.utilisation();
    assert!((measured - load).abs() < 4.0 * spread, "utilisation {measured} for {load} +- {spread}");
}

#[test]
fn equal_packets_wait_as_in_an_m_d_1_queue() {
    for load in [0.5, 0.8] {
        let stats = poisson(load, 400_000, |_| SERVICE_MICROS);
        compare(&stats, load, 0.0, 400_000.0);
    }
}

#[test]
fn exponential_packets_wait_as_in_an_m_m_1_queue() {
    let exponential =
        |stream: &mut RandomStream| stream.exponential(f64::from(SERVICE_MICROS)).round() as u32;
    let stats = poisson(0.7, 400_000, exponential);
    compare(&stats, 0.7, 1.0, 400_000.0);
}
