"""Chapter 3: mice, elephants and the proposals for mice."""
