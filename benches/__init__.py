"""How fast, and in how much memory: this simulator, and others on the same cases."""
