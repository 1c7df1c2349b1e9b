"""Compile every launch of a layer at the tiny preset for an NVIDIA GPU of compute capability 9.0.

    python compile_for_cuda.py k1|k2|m1|kda-decode

No GPU is needed: launches are replaced by compilations. Prints a kernel a line.
"""

import sys

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kk3fast.triton import k2 as k2_module
from kk3fast.triton import launches
from kk3fast.triton import m1 as m1_module
from kk3fast.triton.k1 import K1, KdaDecode
from kk3fast.triton.k2 import K2, slot_layout
from kk3fast.triton.m1 import M1
from kk3fast.triton.peers import one_process
from kk3fast.triton.target import Target
from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.inputs import build_case
from verify.layers import LAYERS
from verify.run import output_storage
from verify.step import Step

TP = 2
POINTERS = {
    torch.bfloat16: "*bf16",
    torch.float16: "*fp16",
    torch.float32: "*fp32",
    torch.int32: "*i32",
    torch.int64: "*i64",
    torch.uint8: "*u8",
}


def compile_only(kernel, grid, *arguments, target, warps=4, stages=1, **constants):
    """In the place of :func:`kk3fast.triton.target.launch`."""
    signature, constexprs, names = {}, {}, kernel.arg_names
    for index, name in enumerate(names):
        value = arguments[index] if index < len(arguments) else constants[name]
        if index >= len(arguments):
            signature[name] = "constexpr"
            constexprs[(index,)] = value
        elif isinstance(value, torch.Tensor):
            signature[name] = POINTERS[value.dtype]
        else:
            small = "i32" if value < 2**31 else "i64"
            signature[name] = "fp32" if isinstance(value, float) else small
    source = ASTSource(kernel, signature, constexprs, {})
    options = {"num_warps": warps, "num_stages": stages, "launch_pdl": target.pdl}
    triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    print(kernel.__name__, flush=True)


def main(kind):
    """Compile a layer kind's launches."""
    for module in (launches, k2_module, m1_module):
        module.launch = compile_only
    config, layer, cpu = preset("tiny"), LAYERS[kind], torch.device("cpu")
    step = Step.resolve(drafts=0 if kind == "kda-decode" else None)
    case = build_case(
        layer.make(LayerOptions()),
        SyntheticWeights(config, 0),
        layer.default_indices(config)[0],
        TP,
        step,
        0,
        preset="tiny",
    )
    buffers = {name: guarded.tensor for name, guarded in output_storage(case, 0).items()}
    context, inputs = case.contexts[0], case.inputs[0]
    target = Target(ptx=True, pdl=True, clock=True)
    if kind == "k2":
        peers = one_process(slot_layout(config, TP, 8), cpu)[0]
        K2(context, target, peers, 8)(inputs, buffers)
    else:
        {"k1": K1, "m1": M1, "kda-decode": KdaDecode}[kind](context, target)(inputs, buffers)


if __name__ == "__main__":
    main(sys.argv[1])
