"""Windows and timers of the machine's own kernel, compared with those of `system = "linux"`."""
