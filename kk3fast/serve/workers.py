"""What the plugin replaces in vLLM's model module, in every process that imports it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import ModuleType
from typing import Any

from kk3fast.serve.settings import AUTO, KK3, Refused, read_settings

logger = logging.getLogger("vllm.kk3")


def install(module: ModuleType) -> None:
    """Replace the check and the executor's builder of ``vllm.models.kimi_k3.amd.linear``.

    Where a name is missing the module is another vLLM's and stays as it is: it refuses the value
    ``kk3`` itself, and the configuration check refuses its version.
    """
    check = getattr(module, "specialized_decode_config", None)
    model = getattr(module, "KimiLinearForCausalLM", None)
    build = getattr(model, "build_specialized_decode", None)
    if check is None or model is None or build is None:
        return

    def specialized_decode_config(vllm_config: Any) -> Any:
        return worker_config(vllm_config, check)

    def build_specialized_decode(self: Any) -> None:
        build_executor(self, build)

    module.specialized_decode_config = specialized_decode_config  # type: ignore[attr-defined]
    model.build_specialized_decode = build_specialized_decode


def worker_config(vllm_config: Any, stock: Callable[[Any], Any]) -> Any:
    """A worker's decode configuration; the check of the server's process again, agreed over ranks.

    Args:
        stock: vLLM's own function.

    Returns:
        None for vLLM's stock decode, a ``ServedConfig``, or vLLM's own configuration where its
        kernels run without a gate.

    Raises:
        Refused: on every rank alike; lists the reasons of all ranks.
    """
    additional = getattr(vllm_config, "additional_config", None)
    configured = additional.get("decode_backend", AUTO) if isinstance(additional, dict) else AUTO
    if configured == AUTO:
        read_settings(additional)  # a wrong switch in the environment is an error all the same
        return stock(vllm_config)
    from kk3fast.serve.agreement import agree

    found, opinion = _judge(vllm_config, additional)
    agree(opinion, str(configured), cpu_group())
    if found is None:
        return None
    if found.settings.backend == KK3:
        return found
    ours = stock(vllm_config)  # vLLM's own refusals hold for vLLM's own kernels
    return found if found.settings.gated else ours


def _judge(vllm_config: Any, additional: Any) -> tuple[Any, Any]:
    """What this rank would serve, and its opinion; errors become reasons: all ranks must hear."""
    from kk3fast.serve.agreement import Opinion

    try:
        settings = read_settings(additional)
        if settings.backend == AUTO:
            return None, Opinion(AUTO)
        if not settings.gated:
            return _Ungated(settings), Opinion(settings.backend)
        from kk3fast.serve.check import decide

        found = decide(vllm_config, settings)
    except Refused as error:
        return None, Opinion("refused", tuple(error.reasons))
    except Exception as error:  # a rank that died alone would leave the others waiting
        logger.exception("kk3: the check failed")
        return None, Opinion("failed", (("check", f"{type(error).__name__}: {error}"),))
    return found, Opinion(found.outcome)


class _Ungated:
    """vLLM's kernels without a certificate."""

    def __init__(self, settings: Any):
        self.settings = settings


def build_executor(model: Any, stock: Callable[[Any], None]) -> None:
    """``KimiLinearForCausalLM.build_specialized_decode``: our executor, or vLLM's, counted."""
    from kk3fast.serve.check import ServedConfig

    served = model.specialized_decode_config
    if not isinstance(served, ServedConfig):
        stock(model)
        return
    from kk3fast.serve.executor import CountedExecutor, Executor

    if served.settings.backend == KK3:
        model.specialized_decode = Executor(model.model, served)
    else:
        stock(model)
        model.specialized_decode = CountedExecutor(model.specialized_decode, served)


def tensor_parallel() -> tuple[int, int, Any]:
    """This worker's rank, the ranks and the CPU group; one rank without vLLM's groups."""
    from vllm.distributed import get_tp_group

    group = get_tp_group()
    return group.rank_in_group, group.world_size, group.cpu_group


def architecture() -> str:
    """GPU architecture of this worker, e.g. ``gfx950`` or ``sm_90``; ``cpu`` without a GPU."""
    import torch

    if not torch.cuda.is_available():
        return "cpu"
    found = torch.cuda.get_device_properties(torch.cuda.current_device())
    if torch.version.hip:
        return str(found.gcnArchName).partition(":")[0]
    return f"sm_{found.major}{found.minor}"


def cpu_group() -> Any:
    """The tensor-parallel ranks' CPU group."""
    return tensor_parallel()[2]
