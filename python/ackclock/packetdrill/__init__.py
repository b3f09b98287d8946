"""Scripts of packetdrill, run in virtual time against the simulated TCP with the settings of a system."""

from ackclock._native import TcpSender

__all__ = ["TcpSender"]
