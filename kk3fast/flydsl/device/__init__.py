"""What the kernels are made of. Everything here is traced: values are FlyDSL expressions.

No module here has ``from __future__ import annotations``, and traced functions take their
helpers from modules: FlyDSL carries every local object whose method is called inside a traced loop
or branch as loop state.
"""
