"""Fast kernels of the decode layers, and the tools that compile, run and check them."""
