"""The calibrated estimator: from question and hits to the probability that the corpus answers, with reasons."""
