"""M1c on contexts that the layer's inputs do not have: long, sparse, far away, poisoned."""

import pytest
import torch
from kk3fast_m1c_run import PAGE, WIDTH, close, contexts, run

from kk3fast.sim import SimulationError


@pytest.mark.parametrize(
    "lengths", [[0], [1, 200], [63, 64], [15, 16, 17, 511], [700, 0, 3, 129]], ids=str
)
@pytest.mark.parametrize("rows", [1, 2])
def test_ragged_contexts(lengths, rows):
    given = contexts(lengths, rows)
    close(run(given).o_lat, given.expected())


def test_eight_rows_are_causal_inside_the_step():
    given = contexts([61], 8, heads=3)
    close(run(given).o_lat, given.expected())


def test_a_padded_request_is_zero():
    given = contexts([100, -1], 2)
    found = run(given, poison=True).o_lat
    close(found, given.expected())
    assert (found[2:] == 0).all()


def test_a_million_rows_of_which_a_few_pages_are_there():
    given = contexts([(1 << 20) - 8], 2, live_pages=40)
    close(run(given, workgroups=32, sanitize=False).o_lat, given.expected())


def test_a_dense_long_context_in_unequal_splits():
    given = contexts([4000, 1300], 1)
    close(run(given, max_splits=12).o_lat, given.expected())


def far(given):
    """Pages so far in the pool that elements' and bytes' offsets pass 2^32."""
    count = len(given.cache)
    first = (1 << 33) // (PAGE * WIDTH)
    moved = torch.cat([torch.zeros(1, dtype=torch.int64), first + 3 * torch.arange(1, count)])
    assert int(moved[1]) * PAGE * WIDTH > 1 << 32
    return moved


def test_pages_past_32_bits_of_offset():
    given = contexts([300, 5], 2)
    found = run(given, moved=far(given)).o_lat
    close(found, given.expected())
    assert torch.equal(found, run(given).o_lat)


def test_an_offset_of_32_bits_is_seen():
    given = contexts([300, 5], 2)
    try:
        found = run(given, moved=far(given), plant="offset_32_bits").o_lat
    except SimulationError:
        return  # it left the pool
    with pytest.raises(AssertionError):
        close(found, given.expected())


def test_what_scratch_held_before_does_not_matter():
    """A short row in a batch with a long one: splits that are not there are never read."""
    given = contexts([2, 900], 2)
    assert torch.equal(run(given, poison=True).o_lat, run(given).o_lat)


def test_a_split_too_many_is_seen():
    given = contexts([2, 900], 2)
    found = run(given, poison=True, plant="one_split_more").o_lat
    assert not torch.equal(found, run(given).o_lat)


def test_a_request_has_the_same_bits_alone_and_in_a_batch():
    given = contexts([700, 3, 64, 0, 350, 90, 1, 1000], 1)
    together = run(given, workgroups=16).o_lat
    for request in range(8):
        alone = run(given.only(request), workgroups=7).o_lat
        assert torch.equal(alone, together[request : request + 1]), request


def test_the_cache_is_read_once():
    """A group of queries reads each row of its context once, and nothing past it."""
    given = contexts([1000], 1, heads=1)
    launch = run(given, workgroups=4, split_tiles=4).result.launches[0]
    assert launch.total("load_nt") == 1001 * WIDTH
