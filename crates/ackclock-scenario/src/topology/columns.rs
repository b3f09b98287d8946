//! Places for the nodes of any graph, in columns by distance: the drawing of builds without the feature `layers`.

use super::sketch::Sketch;
use super::sketch::ordered;

impl Sketch {
    /// Places the nodes by their distances from the first one. Each column is ordered by its neighbours on the
    /// left. No link leads beyond the next column.
    pub(super) fn in_columns(&mut self, distances: &[usize]) {
        let deepest = distances.iter().copied().max().unwrap_or(0);
        for distance in 0..=deepest {
            let column: Vec<(f64, usize)> = (0..self.nodes.len())
                .filter(|place| distances[*place] == distance)
                .map(|place| (self.mean_row_before(place, distances), place))
                .collect();
            let order = ordered(column.len(), &|one, other| column[one].0.total_cmp(&column[other].0));
            let middle = (column.len() as f64 - 1.0) / 2.0;
            for (row, place) in order.into_iter().enumerate() {
                let node = &mut self.nodes[column[place].1];
                node.x = if deepest == 0 { 0.5 } else { distance as f64 / deepest as f64 };
                node.y = row as f64 - middle;
            }
        }
        let top = self.nodes.iter().map(|node| node.y).fold(f64::INFINITY, f64::min);
        self.nodes.iter_mut().for_each(|node| node.y -= top);
    }

    /// The mean row of a node's neighbours in the previous column; 0 for none.
    fn mean_row_before(&self, place: usize, distances: &[usize]) -> f64 {
        let ends = self.links.iter().flat_map(|link| [(link.from, link.to), (link.to, link.from)]);
        let before = ends.filter(|(from, to)| *to == place && distances[*from] < distances[place]);
        let rows: Vec<f64> = before.map(|(from, _)| self.nodes[from].y).collect();
        rows.iter().sum::<f64>() / rows.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    /// Two devices behind a home, whose provider reaches two servers.
    #[test]
    fn columns_are_distances_and_rows_follow_the_neighbours() {
        let mut sketch = Sketch::default();
        for name in ["cdn", "client", "home", "isp", "phone", "server"] {
            sketch.node(name, Role::Host, 0.0, 0.0);
        }
        for (from, to) in [(1, 2), (2, 3), (2, 4), (3, 0), (3, 5)] {
            sketch.wire(from, to, Vec::new());
        }
        sketch.in_columns(&[3, 0, 1, 2, 2, 3]);
        let places: Vec<(f64, f64)> = sketch.nodes.iter().map(|node| (node.x * 3.0, node.y)).collect();
        assert_eq!(places, [(3.0, 0.0), (0.0, 0.5), (1.0, 0.5), (2.0, 0.0), (2.0, 1.0), (3.0, 1.0)]);
    }
}
