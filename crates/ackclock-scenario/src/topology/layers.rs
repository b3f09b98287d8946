//! Places for the nodes of any graph: in layers from left to right, with few crossings, by the method of Sugiyama (`rust-sugiyama`).

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;

use super::sketch::Sketch;

/// The height of a row, the room between two things of a layer, and the width of a letter, in points.
const ROW: f64 = 62.0;
const ROOM: f64 = 18.0;
const LETTER: f64 = 7.0;

impl Sketch {
    /// Places the nodes; links lead from left to right, and the label of a link has a layer of its own between its ends.
    pub(super) fn in_layers(&mut self) {
        let width = |text: &str| text.chars().count() as f64 * LETTER + 2.0 * ROOM;
        // The library lays out from top to bottom: heights are its widths.
        let mut sizes: Vec<(u32, (f64, f64))> = Vec::new();
        for node in &self.nodes {
            sizes.push((sizes.len() as u32, (ROW - ROOM, width(&node.name).max(66.0))));
        }
        let mut edges = Vec::new();
        for link in &self.links {
            let label = sizes.len() as u32;
            let longest = link.label.iter().map(|text| width(text)).fold(0.0, f64::max);
            sizes.push((label, (ROOM, longest)));
            edges.extend([(link.from as u32, label), (label, link.to as u32)]);
        }
        let config = Config { vertex_spacing: ROOM, ..Config::default() };
        let mut top = 0.0;
        for (places, _, _) in from_vertices_and_edges(&sizes, &edges, &config) {
            let places: Vec<_> = places.into_iter().filter(|(place, _)| *place < self.nodes.len()).collect();
            let least = places.iter().map(|(_, (across, _))| *across).fold(f64::INFINITY, f64::min);
            let most = places.iter().map(|(_, (across, _))| *across).fold(least, f64::max);
            for (place, (across, along)) in places {
                self.nodes[place].y = top + (across - least) / ROW;
                self.nodes[place].x = along;
            }
            top += (most - least) / ROW + 1.0;
        }
        let least = self.nodes.iter().map(|node| node.x).fold(f64::INFINITY, f64::min);
        let most = self.nodes.iter().map(|node| node.x).fold(least, f64::max);
        for node in &mut self.nodes {
            node.x = if most > least { (node.x - least) / (most - least) } else { 0.5 };
        }
    }
}
