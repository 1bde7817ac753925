"""Which values of a claim do not stand in a text: numbers, dates and times by value, names letter for letter.

This can only veto a claim. It judges no meaning: whether the values belong together is the reader's business. Where it
is not certain that a value differs, it lets the claim pass.
"""

from rag.exact.check import Missing, missing_values, restated

__all__ = ["Missing", "missing_values", "restated"]
