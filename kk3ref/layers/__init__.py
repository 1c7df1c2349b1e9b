"""The fused layers as named stages."""
