"""The calibrated estimator: from the readings of what was found to the probability that the documents answer."""
