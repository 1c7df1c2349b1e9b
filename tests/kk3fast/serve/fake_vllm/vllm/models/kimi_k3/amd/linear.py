def specialized_decode_config(vllm_config):
    backend = vllm_config.additional_config.get("decode_backend", "auto")
    if backend not in ("auto", "latency_specialized"):
        raise ValueError(f"decode_backend must be 'auto' or 'latency_specialized', got {backend!r}")
    return None if backend == "auto" else "vLLM's configuration"


class SpecializedDecodeMixin:
    def build_specialized_decode(self):
        self.specialized_decode = "vLLM's executor"


class KimiLinearForCausalLM(SpecializedDecodeMixin):
    def __init__(self, vllm_config):
        self.specialized_decode_config = specialized_decode_config(vllm_config)
        self.specialized_decode = None
