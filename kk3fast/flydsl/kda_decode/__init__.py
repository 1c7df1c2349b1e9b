"""The fused KDA decode: short convolution, delta rule and gated norm of one row a request.

One workgroup serves one head of one request and nothing is handed over between workgroups, so the
whole layer part is one launch without any wait.
"""
