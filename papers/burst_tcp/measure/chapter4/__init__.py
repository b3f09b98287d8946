"""Chapter 4: B-TCP and its parameters."""
