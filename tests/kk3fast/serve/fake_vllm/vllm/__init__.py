"""The names of vLLM 0.33.0 that the plugin meets, for tests without vLLM."""

__version__ = "0.33.0"
