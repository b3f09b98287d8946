//! The time between congestion episodes, from the drops of the link.

/// Drops further apart than this many seconds belong to different episodes.
const APART: f64 = 0.4;

/// The mean time between episodes in a span of seconds, and the number of periods; none for fewer than two periods.
pub(super) fn loss_period(drops: &[f64], from: f64, until: f64) -> Option<(f64, usize)> {
    let mut episodes = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for time in drops.iter().copied().filter(|time| *time < until) {
        if time - last > APART && time >= from {
            episodes.push(time);
        }
        last = time;
    }
    let periods = episodes.len().checked_sub(1).filter(|periods| *periods >= 2)?;
    Some(((episodes[periods] - episodes[0]) / periods as f64, periods))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_close_together_are_one_episode() {
        let drops = [1.0, 6.0, 6.1, 8.0, 8.3, 8.6, 10.0, 99.0];
        let (period, periods) = loss_period(&drops, 5.0, 50.0).unwrap();
        assert!((period - 2.0).abs() < 1e-9, "{period}");
        assert_eq!(periods, 2);
        assert_eq!(loss_period(&drops, 7.0, 50.0), None, "one period says little");
    }
}
