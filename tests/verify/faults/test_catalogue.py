"""The catalogue: complete, each form plantable, and each changes what the layer gives."""

from __future__ import annotations

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.faults.catalogue import FAULTS
from verify.jobs import default_step, jobs
from verify.layers import LAYERS


def test_all_31_kinds_are_there() -> None:
    assert list(FAULTS) == [f"F{n}" for n in range(1, 32)]
    assert all(fault.id == key for key, fault in FAULTS.items())
    assert all(fault.title and fault.reveals and fault.plants for fault in FAULTS.values())


def test_names_of_forms_differ() -> None:
    names = [plant.name for fault in FAULTS.values() for plant in fault.plants]
    assert len(names) == len(set(names))


def test_every_form_can_be_planted_in_k1_k2_or_m1() -> None:
    """So that a quick run plants them all."""
    source = SyntheticWeights(preset("tiny"), 0)
    left = {plant.name for fault in FAULTS.values() for plant in fault.plants}
    for kind in ("k1", "k2", "m1"):
        choice = LAYERS[kind]
        for job in jobs(choice, source.config, 8, LayerOptions(), default_step(0)):
            context = job.case(source, 8, 0, "tiny").contexts[0]
            for fault in FAULTS.values():
                for plant in fault.plants:
                    if plant.fits(job.layer, context, job.step.drafts):
                        left.discard(plant.name)
    assert not left


def test_production_plants_them_all_by_default_too() -> None:
    """The default run at production size has fewer families; each form must fit one job of it."""
    config = preset("production")
    left = {plant.name for fault in FAULTS.values() for plant in fault.plants}
    for kind in ("k1", "k2", "m1"):
        for job in jobs(LAYERS[kind], config, 8, LayerOptions(), default_step(0)):
            context = _context(config, job.index, job.options)
            for fault in FAULTS.values():
                for plant in fault.plants:
                    if plant.fits(job.layer, context, job.step.drafts):
                        left.discard(plant.name)
    assert not left


def _context(config, index, options):  # type: ignore[no-untyped-def]
    from kk3ref.stages import RankContext

    return RankContext(config, config.layer(index), config.shard(8), 0, {}, options)
