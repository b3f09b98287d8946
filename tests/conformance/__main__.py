"""Runs the mutants of the cases of conformance, all or those of the specifications named."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from ackclock.measures.verdict import Outcome
from tests.conformance.mutants import MUTANTS


def main(specifications: Sequence[str]) -> int:
    """Prints each mutant with what its case says of it, and of the reading without the fault.

    Returns 0 when each mutant fails, and no reading without the fault does.
    """
    wrong = 0
    for each in MUTANTS:
        if specifications and each.specification not in specifications:
            continue
        begun = time.process_time()
        verdict, sound = each.verdict(), each.sound_verdict()
        is_right = verdict.outcome is Outcome.FAILS and (sound is None or sound.outcome is Outcome.HOLDS)
        wrong += not is_right
        found = f"{verdict.word}: {verdict.finding}"
        if sound is not None and sound.outcome is not Outcome.HOLDS:
            found += f"; without the fault it {sound.word}: {sound.finding}"
        took = time.process_time() - begun
        place = f"{each.specification}/{each.case}"
        print(f"{'right' if is_right else 'WRONG'} {took:5.1f} s  {place}: {each.fault}; {found}", flush=True)
    print(f"{wrong} mutants do not fail their cases, or their readings do without the fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
