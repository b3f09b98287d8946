"""Speed and memory of this simulator and of others, on the same cases."""
