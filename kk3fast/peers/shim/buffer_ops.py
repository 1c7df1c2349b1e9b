"""Raw AMD buffer loads and stores at an integer address.

The order in which operations and constants are made is part of the result: it decides the text of
the canonicalised module, and with it the digest.
"""

from __future__ import annotations

from typing import Any

from kk3fast.compile.flydsl_private import mlir_dialects, module

fx = module("expr")
rocdl = module("expr.rocdl")
as_ir_value = module("expr.typing").as_ir_value
dsl_loc_tracing = module("expr.meta").dsl_loc_tracing
_ir, _arith, _llvm, _ = mlir_dialects()

_WHOLE_ADDRESS_SPACE = 0xFFFFFFFF
# Word 3 of a CDNA descriptor: data format 7 (float) at bit 12, number format 4 (32 bit) at bit 15.
_DESCRIPTOR_FLAGS = 7 << 12 | 4 << 15


def _constant(width: int, value: int) -> Any:
    return _arith.constant(_ir.IntegerType.get_signless(width), value)


def _cache_policy(bits: int) -> Any:
    return _ir.IntegerAttr.get(_ir.IntegerType.get_signless(32), bits) if bits else None


@dsl_loc_tracing
def create_buffer_resource_from_addr(addr: Any, *, num_records_bytes: int | None = None) -> Any:
    """A buffer descriptor (``!llvm.ptr<8>``) of ``num_records_bytes`` bytes at i64 ``addr``.

    Without a size the descriptor spans 4 GiB - 1, that is, no access is out of range.
    """
    size = _WHOLE_ADDRESS_SPACE if num_records_bytes is None else num_records_bytes
    base = _llvm.inttoptr(_ir.Type.parse("!llvm.ptr"), as_ir_value(addr))
    flags = _constant(32, _DESCRIPTOR_FLAGS)
    stride = _constant(16, 0)
    records = _constant(64, size)
    descriptor = _ir.Type.parse("!llvm.ptr<8>")
    return rocdl.make_buffer_rsrc(descriptor, base, stride, records, flags)


def _byte_offset(index: Any, element: Any) -> Any:
    start = _constant(32, index) if isinstance(index, int) else as_ir_value(index)
    return _arith.muli(start, _constant(32, element.width // 8))


@dsl_loc_tracing
def buffer_load(
    rsrc: Any, offset: Any, vec_width: int = 4, dtype: Any = None, cache_modifier: int = 0
) -> Any:
    """``vec_width`` elements of MLIR type ``dtype`` (default f32) from element ``offset`` (i32).

    ``cache_modifier`` holds LLVM's cache policy bits: 0 plain, 2 nontemporal, 16 device scope,
    17 system scope.
    """
    element = fx.Float32.ir_type if dtype is None else dtype
    where = _byte_offset(offset, element)
    result = element if vec_width == 1 else _ir.VectorType.get([vec_width], element)
    policy = _cache_policy(cache_modifier)
    return rocdl.raw_ptr_buffer_load(result, rsrc, where, _constant(32, 0), aux=policy)


@dsl_loc_tracing
def buffer_store(data: Any, rsrc: Any, offset: Any, *, cache_modifier: int = 0) -> None:
    """Store a scalar or vector at element ``offset`` (i32, in elements of ``data``)."""
    value = as_ir_value(data)
    element = value.type.element_type if hasattr(value.type, "element_type") else value.type
    where = _byte_offset(offset, element)
    policy = _cache_policy(cache_modifier)
    rocdl.raw_ptr_buffer_store(value, rsrc, where, _constant(32, 0), aux=policy)
