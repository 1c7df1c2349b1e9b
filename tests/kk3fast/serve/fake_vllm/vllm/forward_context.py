from types import SimpleNamespace

context = None


def set_context(metadata, mode="NONE"):
    global context
    mode = SimpleNamespace(name=mode)
    context = SimpleNamespace(attn_metadata=metadata, cudagraph_runtime_mode=mode)


def is_forward_context_available():
    return context is not None


def get_forward_context():
    return context
