"""A Ray cluster of two workers: prints its address, lives until its input is closed."""

from __future__ import annotations

import os
import sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray

if __name__ == "__main__":
    context = ray.init(
        num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, logging_level="error"
    )
    print(context.address_info["gcs_address"], flush=True)
    sys.stdin.read()
    ray.shutdown()
