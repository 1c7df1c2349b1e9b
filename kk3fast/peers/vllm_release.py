"""sha256 of the kernel sources in vLLM's released wheel, by path below the kernel folder."""

from __future__ import annotations

VERSION = "0.33.0"

KERNEL_FOLDER = "models/kimi_k3/amd/specialized_decode/mono"
"""The kernel sources, below the ``vllm`` package folder."""

SHA256 = {
    "__init__.py": ("e3c55cbb0d7a8bd47df6f3378835644645f5d3bc89b45793b5d5a02d013e5c58"),
    "abi.py": ("14fe1c15cf959e3cb1cb6c79d30aecbe167ea280ae36d7edd94214e6dc6d1e5d"),
    "attention/__init__.py": ("e3c55cbb0d7a8bd47df6f3378835644645f5d3bc89b45793b5d5a02d013e5c58"),
    "attention/back.py": ("1208447440c6c6e1091f8fba3c90e060dc012d72b61a02b7f04fc560b40baa7d"),
    "attention/kda.py": ("0f266306544c21a38ad9421f35cfcc4fecdcf39dbdf2ad65b82b66cca4c1e622"),
    "common/__init__.py": ("e3c55cbb0d7a8bd47df6f3378835644645f5d3bc89b45793b5d5a02d013e5c58"),
    "common/debug.py": ("f3115c1adc2a327cab501df2c9a7713df6403ece87a4fe972c4b2e0f0a245664"),
    "common/mx.py": ("a2621f69e546c6d373c68b3a2985507c3487b23ba6d306f64c555d5f4c67f710"),
    "common/ops.py": ("be21215e51cb03e9f88a12e6ba3e41733c1b62af8785ebb50d79393f1ebcf14e"),
    "common/plan.py": ("119c02ea1cd277e565fc691fbc27422e24515de232faf34220cc6ec785797804"),
    "common/ranks.py": ("63acfd6ef0c889c1faf32bfce81c3a18b2fad9e06bd508f93abc5da0c7ee25d2"),
    "common/sync.py": ("f07463e7a077e2b6ad96c5738a6f22985e0a2f0c9fa7e8fb7329dc50cf60ef11"),
    "layer.py": ("389834712fb2fc5e1aa40a381d14d6058badddecef4fd6ff0be8a72dd9cfd0b7"),
    "stages/__init__.py": ("e3c55cbb0d7a8bd47df6f3378835644645f5d3bc89b45793b5d5a02d013e5c58"),
    "stages/gemv.py": ("b7f941dff494d0db147550f5ba6cdb851ea57ebf9539384d4e9e44dc1e71b4a8"),
    "stages/moe.py": ("c0c30b4610ff07a5bbddc5f6bfad185f24d1c980aaefc9209c01bb83c83affe4"),
}
