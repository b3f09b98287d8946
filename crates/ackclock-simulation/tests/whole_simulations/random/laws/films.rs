//! The tables of films and their segments.

use ackclock_simulation::Output;
use ackclock_simulation::scenario::{FilmKeys, Scenario};

use super::{Law, ROUNDING, count, index, law, ordered, real, table};

pub fn hold(scenario: &Scenario, run: &Output) -> Law {
    let flows = scenario.flows();
    let viewers: Vec<(u32, &FilmKeys)> =
        flows.iter().filter_map(|flow| Some((flow.index, flow.group.application.film()?))).collect();
    if viewers.is_empty() {
        return law(table(run, "films").columns().is_empty(), || "films without a viewer".to_owned());
    }
    hold_segments(&viewers, run)?;
    let films = table(run, "films");
    let rows = index(films, "flow");
    law(rows.len() <= viewers.len(), || format!("{} films of {} viewers", rows.len(), viewers.len()))?;
    for row in 0..rows.len() {
        let (longest, total) = (real(films, "longest_stall_s")[row], real(films, "stall_s")[row]);
        let at = || format!("film {row}: {total} s of stalls, one of {longest} s");
        law(longest <= total * (1.0 + ROUNDING) && total <= run.finished_at.as_secs_f64(), at)?;
        let (segments, switches) = (count(films, "segments")[row], count(films, "switches")[row]);
        law(switches <= segments.saturating_sub(1), || format!("film {row}: {switches} of {segments}"))?;
        law(!(real(films, "stall_share")[row] > 1.0 + ROUNDING), at)?;
    }
    Ok(())
}

/// A player requests one segment after the other, and never more than its buffer holds.
fn hold_segments(viewers: &[(u32, &FilmKeys)], run: &Output) -> Law {
    let segments = table(run, "segments");
    let end = run.finished_at.as_secs_f64();
    let mut before: Option<(u32, f64)> = None;
    for row in 0..index(segments, "flow").len() {
        let flow = index(segments, "flow")[row];
        let (request, finish) = (real(segments, "request_s")[row], real(segments, "finish_s")[row]);
        law(request <= end && !(finish > end), || {
            format!("segment {row}: {request} s, {finish} s of {end} s")
        })?;
        let last = before.filter(|(of, _)| *of == flow).map_or(0.0, |(_, finish)| finish);
        ordered(&[last, request, finish], || format!("segment {row} is out of order"))?;
        before = Some((flow, finish));
        let Some((_, film)) = viewers.iter().find(|(of, _)| *of == flow) else {
            return Err(format!("segment {row} is of flow {flow}, which has no film"));
        };
        let (most, at_request, with) = (
            film.buffer.as_secs_f64(),
            real(segments, "buffer_at_request_s")[row],
            real(segments, "buffer_s")[row],
        );
        let room = most - film.segment.as_secs_f64();
        law(at_request <= room + 1e-6 && !(with > most + 1e-6), || {
            format!("segment {row}: a buffer of {at_request} s, then {with} s, of {most} s")
        })?;
    }
    Ok(())
}
