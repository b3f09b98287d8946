"""The same controllers on the simulator's TCP, on QUIC stacks and in the kernel, beside each other."""
