"""SplitMix64's output function (Steele, Lea and Flood, OOPSLA 2014), for what rules leave to chance."""

GOLDEN_GAMMA = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def output(state: int, steps: int) -> int:
    """64 bits, for a state some steps after this one."""
    z = (state + steps * GOLDEN_GAMMA) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def share(bits: int) -> float:
    """The upper 53 of them, as a number from zero to one."""
    return (bits >> 11) / 2**53
