"""Pure-PyTorch reference of Kimi-K3's decode layers."""
