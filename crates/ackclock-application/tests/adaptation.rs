//! Relations that the sources of bit-rate adaptations state, worked out by hand.

use ackclock_application::{ADAPTATIONS, AdaptationSpec, Choice, Download, Manifest, Moment};

/// Segments of 4 s in these qualities, in Mbit/s, all as large as the mean.
fn film(rates: &[f64], buffer: f64) -> Manifest {
    Manifest {
        segment: 4.0,
        rates: rates.iter().map(|rate| rate * 1e6).collect(),
        shape: vec![1.0; 1000],
        buffer,
    }
}

/// Downloads of 4 s of film at these rates in Mbit/s.
fn downloads(rates: &[f64]) -> Vec<Download> {
    rates.iter().map(|rate| Download { bits: 4e6, time: 4.0 / rate }).collect()
}

/// The choice for a segment in the middle of the film.
fn choice(adaptation: &str, film: &Manifest, buffer: f64, before: usize, rates: &[f64]) -> Choice {
    let spec: AdaptationSpec = adaptation.parse().unwrap();
    let downloads = downloads(rates);
    spec.build().choose(film, &Moment { segment: 500, buffer, before: Some(before), downloads: &downloads })
}

fn quality(adaptation: &str, film: &Manifest, buffer: f64, before: usize, rates: &[f64]) -> usize {
    choice(adaptation, film, buffer, before, rates).quality
}

#[test]
fn all_begin_with_the_lowest_quality_and_are_written_as_they_are_read() {
    for entry in ADAPTATIONS {
        let spec: AdaptationSpec = entry.name.parse().unwrap();
        assert_eq!(spec.to_string(), entry.name);
        let at = Moment { segment: 0, buffer: 0.0, before: None, downloads: &[] };
        assert_eq!(spec.build().choose(&film(&[1.0, 2.0], 60.0), &at), Choice { quality: 0, wait: 0.0 });
    }
    let error = "bolla".parse::<AdaptationSpec>().unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("bola"));
}

/// The harmonic mean of 1 and 3 Mbit/s is 2 / (1 + 1/3) = 1.5 Mbit/s.
#[test]
fn the_rate_stays_within_the_harmonic_mean_of_the_last_five() {
    let film = film(&[1.0, 1.5, 2.0], 60.0);
    assert_eq!(quality("rate", &film, 30.0, 0, &[1.0, 3.0]), 1, "the arithmetic mean would permit 2 Mbit/s");
    assert_eq!(
        quality("rate", &film, 30.0, 0, &[0.1, 2.0, 2.0, 2.0, 2.0, 2.0]),
        2,
        "six ago no longer counts"
    );
    assert_eq!(quality("rate", &film, 30.0, 2, &[0.5]), 0, "nothing is low enough");
    assert_eq!(quality("rate(share=0.7)", &film, 30.0, 0, &[2.0]), 0);
}

/// A buffer of 240 s has its reservoir up to 90 s and the end of its cushion at 216 s, between which 1 to 5 Mbit/s rise by 1 Mbit/s in 31.5 s.
#[test]
fn bba_0_maps_the_buffer_linearly_to_the_rate_and_keeps_a_rate_until_the_next() {
    let film = film(&[1.0, 2.0, 3.0, 5.0], 240.0);
    let quality = |buffer, before| quality("bba-0", &film, buffer, before, &[]);
    for before in 0..4 {
        assert_eq!((quality(90.0, before), quality(216.0, before)), (0, 3));
    }
    assert_eq!((quality(121.4, 0), quality(121.6, 0)), (0, 1), "2 Mbit/s at 121.5 s");
    assert_eq!((quality(152.9, 1), quality(153.1, 1)), (1, 2), "3 Mbit/s at 153 s");
    assert_eq!((quality(121.6, 2), quality(121.4, 2)), (2, 1), "3 Mbit/s stay down to 121.5 s");
    assert_eq!(quality(170.0, 0), 2, "a rise goes as far as the map does");
    assert_eq!(quality(100.0, 3), 1, "as does a fall, to the rate above the map");
}

/// A segment that comes in a tenth of its length adds 0.9 segments to the buffer, above 0.875. At the end of the cushion half a segment is
/// enough, and between them the bound is linear: 0.6875 in the middle.
#[test]
fn bba_2_rises_at_the_beginning_by_the_growth_of_the_buffer() {
    let film = film(&[1.0, 2.0, 4.0], 240.0);
    let after = |buffer: f64, time: f64| {
        let spec: AdaptationSpec = "bba-2".parse().unwrap();
        let downloads = [Download { bits: 4e6, time }];
        spec.build()
            .choose(&film, &Moment { segment: 1, buffer, before: Some(0), downloads: &downloads })
            .quality
    };
    assert_eq!((after(0.0, 0.49), after(0.0, 0.51)), (1, 0));
    // 4 s (1 - 0.875 + 0.375 B / 216 s): the map still asks for the lowest quality at 16 s.
    assert_eq!((after(16.0, 0.6), after(16.0, 0.625)), (1, 0));
}

/// After the beginning sizes follow the buffer: 4 Mbit at the reservoir of 8 s, 16 Mbit at 216 s. A segment of twice the mean size needs a
/// map that is as high.
#[test]
fn bba_2_maps_the_buffer_to_the_size_of_the_next_segment() {
    let mut film = film(&[1.0, 2.0, 4.0], 240.0);
    let middle = 8.0 + 208.0 * (8.0 - 4.0) / 12.0;
    let falling = [1.0, 0.5];
    assert_eq!(quality("bba-2", &film, middle - 0.1, 0, &falling), 0);
    assert_eq!(quality("bba-2", &film, middle + 0.1, 0, &falling), 1);
    film.shape[500] = 2.0;
    let larger = 8.0 + 208.0 * (16.0 - 4.0) / 12.0;
    assert_eq!(quality("bba-2", &film, middle + 0.1, 0, &falling), 0, "the next segment is twice as large");
    assert_eq!(quality("bba-2", &film, larger + 0.1, 0, &falling), 2);
}

/// Segments ahead that have 1.5 times the mean size cost half a segment each at the lowest mean rate: ten of them 20 s.
#[test]
fn bba_2_has_a_reservoir_for_the_large_segments_ahead() {
    let mut film = film(&[1.0, 2.0, 4.0], 240.0);
    let falling = [1.0, 0.5];
    film.shape[510..520].fill(1.5);
    assert_eq!(quality("bba-2", &film, 20.0, 2, &falling), 0);
    film.shape[510..520].fill(1.0);
    assert_eq!(quality("bba-2", &film, 20.0, 2, &falling), 1, "without them 8 s");
}

/// With rates of 1, 2 and 4 the utilities are 0, ln 2 and 2 ln 2. For 25 segments V = 24 / (2 ln 2 + 5) = 3.758. Two qualities are worth the
/// same at V (5 - ln 2) = 16.19 and 5 V = 18.79 segments.
#[test]
fn bola_changes_quality_where_two_are_worth_the_same() {
    let film = film(&[1.0, 2.0, 4.0], 100.0);
    let v = 24.0 / (2.0 * 2_f64.ln() + 5.0);
    let bounds = [v * (5.0 - 2_f64.ln()), 5.0 * v];
    assert!((bounds[0] - 16.185).abs() < 1e-3 && (bounds[1] - 18.790).abs() < 1e-3, "{bounds:?}");
    for (lower, bound) in bounds.into_iter().enumerate() {
        for before in 0..3 {
            assert_eq!(quality("bola", &film, 4.0 * (bound - 0.01), before, &[1.0]), lower);
            assert_eq!(quality("bola", &film, 4.0 * (bound + 0.01), before, &[1.0]), lower + 1);
        }
    }
}

/// Theorem 1: the buffer has at most `V (υ + γp) + 1` segments, 25 here. So no segment is requested above 24.
#[test]
fn bola_waits_until_the_buffer_has_room() {
    let film = film(&[1.0, 2.0, 4.0], 100.0);
    assert!(choice("bola", &film, 96.0, 2, &[1.0]).wait < 1e-9);
    assert!((choice("bola", &film, 98.0, 2, &[1.0]).wait - 2.0).abs() < 1e-9);
}

/// At 22 segments BOLA wants the highest quality of 4 Mbit/s, but the last download had 2.5 Mbit/s.
#[test]
fn bola_u_goes_one_beyond_the_rate_and_bola_o_waits_within_it() {
    let film = film(&[1.0, 2.0, 3.0, 4.0], 100.0);
    assert_eq!(quality("bola", &film, 88.0, 0, &[2.5]), 3);
    assert_eq!(choice("bola-u", &film, 88.0, 0, &[2.5]), Choice { quality: 2, wait: 0.0 });
    assert_eq!(
        quality("bola-u", &film, 88.0, 2, &[2.5]),
        2,
        "no rise beyond a quality that is beyond already"
    );
    assert_eq!(quality("bola-u", &film, 88.0, 3, &[2.5]), 3, "what is no rise stays");
    // It waits until 2 Mbit/s are worth as much as 3: (V (ln 2 + 5) - Q) / 2 = (V (ln 3 + 5) - Q) / 3, V = 24 / (ln 4 + 5).
    let v = 24.0 / (4_f64.ln() + 5.0);
    let wanted = 3.0 * v * (2_f64.ln() + 5.0) - 2.0 * v * (3_f64.ln() + 5.0);
    let Choice { quality, wait } = choice("bola-o", &film, 88.0, 0, &[2.5]);
    assert_eq!(quality, 1);
    assert!((wait - 4.0 * (22.0 - wanted)).abs() < 1e-9, "{wait}");
}

/// Six segments from the beginning the buffer is to hold three: BOLA-FINITE waits above two.
#[test]
fn bola_finite_wants_a_smaller_buffer_at_the_ends_of_a_film() {
    let film = film(&[1.0, 2.0], 100.0);
    for segment in [6, 994] {
        let spec: AdaptationSpec = "bola-u".parse().unwrap();
        let at = Moment { segment, buffer: 12.0, before: Some(1), downloads: &downloads(&[4.0]) };
        assert_eq!(spec.build().choose(&film, &at), Choice { quality: 1, wait: 4.0 });
    }
}

/// 2, 2 and 1 Mbit/s: the harmonic mean of 1.5 Mbit/s is lowered by the largest error, (2 - 1) / 1, to 0.75 Mbit/s. With stalls that cost most a
/// plan of one segment takes the highest rate that 4 s can fetch.
#[test]
fn robust_mpc_lowers_the_harmonic_mean_by_the_largest_error() {
    let film = film(&[0.5, 0.74, 0.76, 1.4], 60.0);
    let careful = "robust-mpc(horizon=1, switches=0, stalls=1000000)";
    assert_eq!(quality(careful, &film, 4.0, 0, &[2.0, 2.0, 1.0]), 1);
    assert_eq!(quality(careful, &film, 4.0, 0, &[1.5, 1.5, 1.5]), 3, "without an error the mean counts");
    assert_eq!(quality(careful, &film, 8.0, 0, &[2.0, 2.0, 1.0]), 3, "8 s fetch twice as much");
    let forgotten = [2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(
        quality(careful, &film, 4.0, 0, &forgotten),
        2,
        "errors of more than five downloads ago do not"
    );
}

/// The value of a plan, by the sum that the paper states.
fn value(film: &Manifest, at: &Moment<'_>, plan: &[usize], rate: f64) -> f64 {
    let (mut buffer, mut before, mut value) = (at.buffer, at.before, 0.0);
    for (offset, &quality) in plan.iter().enumerate() {
        let time = film.rates[quality] * film.segment * film.shape[at.segment + offset] / rate;
        let change = before.map_or(0.0, |before| (film.rates[quality] - film.rates[before]).abs());
        value += film.rates[quality] - change - 3e6 * (time - buffer).max(0.0);
        buffer = ((buffer - time).max(0.0) + film.segment).min(film.buffer);
        before = Some(quality);
    }
    value
}

/// All plans of this many segments.
fn plans(qualities: usize, length: usize) -> Vec<Vec<usize>> {
    let count = qualities.pow(length as u32);
    let digits =
        |number: usize| (0..length).map(|place| number / qualities.pow(place as u32) % qualities).collect();
    (0..count).map(digits).collect()
}

#[test]
fn robust_mpc_finds_what_a_search_of_all_plans_finds() {
    let mut film = film(&[0.3, 0.75, 1.2, 2.85], 30.0);
    film.shape.iter_mut().enumerate().for_each(|(segment, of)| *of = 0.8 + 0.1 * (segment * 7 % 5) as f64);
    for horizon in 1..=4 {
        let plans = plans(4, horizon);
        let spec: AdaptationSpec = format!("robust-mpc(horizon={horizon})").parse().unwrap();
        for case in 0..60 {
            let rate = 0.2 + 0.31 * f64::from(case % 13);
            let downloads = downloads(&[rate]);
            let buffer = f64::from(case * 5 % 27);
            let at = Moment {
                segment: 40 + case as usize,
                buffer,
                before: Some(case as usize % 4),
                downloads: &downloads,
            };
            let chosen = spec.build().choose(&film, &at).quality;
            let of = |plan: &Vec<usize>| value(&film, &at, plan, rate * 1e6);
            let best = plans.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
            let reached =
                plans.iter().filter(|plan| plan[0] == chosen).map(of).fold(f64::NEG_INFINITY, f64::max);
            assert!((best - reached).abs() < 1e-3, "case {case}, horizon {horizon}: {reached} of {best}");
        }
    }
}

/// A plan does not go beyond the end of the film.
#[test]
fn robust_mpc_plans_to_the_end_of_the_film() {
    let film = film(&[1.0, 2.0], 60.0);
    let spec: AdaptationSpec = "robust-mpc".parse().unwrap();
    let at = Moment { segment: 999, buffer: 30.0, before: Some(0), downloads: &downloads(&[4.0]) };
    assert!(spec.build().choose(&film, &at).quality <= 1);
}
