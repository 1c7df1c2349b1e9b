"""Benchmarks: how fast a layer is, and how near to what memory allows."""
