"""Harness: runs a candidate beside the reference and judges every stage."""
