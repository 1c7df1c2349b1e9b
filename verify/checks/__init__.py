"""Criteria: how a candidate's stages and layer are judged."""
