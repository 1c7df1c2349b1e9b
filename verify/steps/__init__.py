"""Many decode steps: how errors grow over steps and layers, beside the baseline's."""

from verify.steps.run import KINDS, StepsOutcome, StepsPlan, run_steps

__all__ = ["KINDS", "StepsOutcome", "StepsPlan", "run_steps"]
