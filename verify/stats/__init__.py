"""Honest statistics of paired accuracy evals: the same questions, answered off and on.

b is the number of questions right only off, c right only on, n all questions; differences
are accuracy on minus accuracy off, as fractions.
"""

from verify.stats.clustered import (
    ClusteredDifference,
    ClusteredMean,
    clustered_difference,
    clustered_mean,
)
from verify.stats.discordance import (
    Discordance,
    ExcessDiscordance,
    discordance,
    excess_discordance,
)
from verify.stats.equivalence import Equivalence, tost_clustered, tost_paired
from verify.stats.intervals import Interval, NonInferiority, noninferiority, tango_interval
from verify.stats.multiple import Holm, holm
from verify.stats.paired import McNemar, PairedCounts, mcnemar_exact, paired_counts
from verify.stats.power import (
    DetectableEffect,
    NonInferiorityPower,
    Power,
    SampleSize,
    mcnemar_power,
    minimum_detectable_effect,
    noninferiority_power,
    sample_size,
)

__all__ = [
    "ClusteredDifference",
    "ClusteredMean",
    "DetectableEffect",
    "Discordance",
    "Equivalence",
    "ExcessDiscordance",
    "Holm",
    "Interval",
    "McNemar",
    "NonInferiority",
    "NonInferiorityPower",
    "PairedCounts",
    "Power",
    "SampleSize",
    "clustered_difference",
    "clustered_mean",
    "discordance",
    "excess_discordance",
    "holm",
    "mcnemar_exact",
    "mcnemar_power",
    "minimum_detectable_effect",
    "noninferiority",
    "noninferiority_power",
    "paired_counts",
    "sample_size",
    "tango_interval",
    "tost_clustered",
    "tost_paired",
]
