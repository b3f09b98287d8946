"""Who conforms: every algorithm by the specifications that name it."""
