"""Running builds on named tensors: simulated on any CPU, or launched on gfx950."""
