"""FlyDSL's rewriting of ``if``, ``while`` and ``for`` over traced values, for helper functions."""

from kk3fast.compile.flydsl_private import module


def traced(function):
    """``function`` with control flow over traced values lowered to structured control flow.

    A kernel has only its own body rewritten; a helper with such control flow needs this decorator.
    """
    return module("compiler.ast_rewriter").ASTRewriter.transform(function)
