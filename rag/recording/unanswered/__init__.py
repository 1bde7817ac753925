"""The questions that got no good answer, grouped by likeness: from the short lines of records, by pure functions."""

from rag.recording.unanswered.asked import Unanswered, Why, unanswered
from rag.recording.unanswered.groups import Group, grouped, wordings

__all__ = ["Group", "Unanswered", "Why", "grouped", "unanswered", "wordings"]
