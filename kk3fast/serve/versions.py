"""Versions that a certificate names beside FlyDSL's: of what runs between the fused layers.

python -m kk3fast.serve.versions        as verify certify --version takes them
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

_PACKAGES = {"vllm": ("vllm",), "aiter": ("amd-aiter", "aiter")}
"""distributions by the name that certificates use"""
VERSIONED = tuple(_PACKAGES)


def installed_versions() -> dict[str, str]:
    """Of vLLM and AITER, where they are installed in this environment."""
    found = {}
    for name, packages in _PACKAGES.items():
        for package in packages:
            try:
                found[name] = version(package)
                break
            except PackageNotFoundError:
                continue
    return found


if __name__ == "__main__":
    print(" ".join(f"--version {name}={value}" for name, value in installed_versions().items()))
