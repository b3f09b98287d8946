//! The table `links`.

use ackclock_network::Opportunities;
use ackclock_simulation::Output;
use ackclock_simulation::scenario::{Buffer, Scenario};

use super::{Law, ROUNDING, count, law, real, table};

pub fn hold(scenario: &Scenario, run: &Output) -> Law {
    let links = table(run, "links");
    let end = run.finished_at.as_secs_f64();
    let specs = scenario.topology.links();
    let from_the_start = scenario.warm_up.is_zero();
    for (row, spec) in specs.iter().enumerate() {
        let counted = |name| count(links, name)[row];
        let value = |name| real(links, name)[row];
        let at = |what: &str| format!("link {}: {what}", spec.name);
        law(value("utilisation") <= 1.0, || at(&format!("utilisation {}", value("utilisation"))))?;
        let (mean, longest) = (value("mean_queue_packets"), counted("max_queue_packets") as f64);
        law(mean <= longest * (1.0 + ROUNDING), || at(&format!("mean queue {mean}, longest {longest}")))?;
        let (mean, longest) = (value("mean_queueing_delay_s"), value("max_queueing_delay_s"));
        law(!(mean > longest * (1.0 + ROUNDING)), || at(&format!("mean delay {mean}, longest {longest}")))?;
        law(counted("dropped_early") + counted("pushed_out") <= counted("dropped_queue"), || {
            at("parts of drops")
        })?;
        if let Buffer::Packets(most) = spec.direction.buffer {
            let longest = counted("max_queue_packets");
            law(longest <= u64::from(most), || at(&format!("{longest} packets in a buffer of {most}")))?;
        }
        if from_the_start {
            let ended = counted("packets_forwarded")
                + counted("dropped_queue")
                + counted("dropped_loss")
                + counted("thinned");
            law(ended <= counted("packets_offered"), || at("more packets left than came"))?;
            law(counted("dropped_protected") <= counted("offered_protected"), || at("protected packets"))?;
            let (bits, rate) = (counted("bytes_forwarded") as f64 * 8.0, value("rate_bit_per_s"));
            // Transmission times are whole nanoseconds, and those of small packets are few.
            let rounded = 0.5e-9 * counted("packets_forwarded") as f64;
            // The rate of a trace is that of packets which fill an opportunity each; larger ones have fewer headers (seed 3013265).
            let opportunity = f64::from(Opportunities::SIZE);
            let without_header = opportunity - f64::from(Opportunities::HEADER);
            let headers = if spec.direction.is_plain() { 1.0 } else { opportunity / without_header };
            law(!(bits > rate * headers * (end + rounded) * (1.0 + ROUNDING)), || {
                at(&format!("{bits} bits in {end} s at {rate} bit/s"))
            })?;
        }
    }
    Ok(())
}
