"""Tests of a file that share what takes long to make run in one worker, so that it is made once."""

import pytest


@pytest.fixture(scope="module")
def shared() -> str:
    return "made once"


def test_a_file_with_a_shared_fixture_is_a_group(request: pytest.FixtureRequest, shared: str) -> None:
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("tests do not run in workers")
    # pytest-xdist hands out tests by this name; a pytest that it does not know keeps the plain one.
    assert request.node.nodeid.endswith("@test_groups"), shared
