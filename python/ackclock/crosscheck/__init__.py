"""The same controllers on the simulator's TCP, on QUIC stacks and in the kernel, compared with each other."""
