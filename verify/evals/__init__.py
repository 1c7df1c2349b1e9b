"""Accuracy evals of two servers, paired question by question (asking needs extra ``eval``)."""
