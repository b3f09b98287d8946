"""QUIC stacks for flows of Ackclock's scenarios: the package `ackclock` finds and uses this one."""
