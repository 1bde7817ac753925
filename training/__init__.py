"""What the shipped reader is trained by, and the data sets of our own. No part of the product; needs torch."""
