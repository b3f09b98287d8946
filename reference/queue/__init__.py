"""Queue disciplines, one per file."""
