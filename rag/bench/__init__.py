"""`candor bench`: what is measured, from inside and from outside, with its spread."""
