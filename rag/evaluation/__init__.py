"""Evaluation: data sets, figures with intervals, runs, comparisons, and thresholds with a guarantee."""
