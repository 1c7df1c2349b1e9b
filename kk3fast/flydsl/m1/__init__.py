"""MLA layers: M1a, M1c and M1b together."""
