"""Both sides of timelines by hand: the second readings, and the compiled controllers."""

import pytest

from tests.differential.call import MAKERS, Call


@pytest.fixture(params=MAKERS)
def side(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The side whose congestion control a `Call` has."""
    monkeypatch.setattr(Call, "make", staticmethod(MAKERS[request.param]))
    return str(request.param)
