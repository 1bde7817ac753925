"""A house word: another name of a thing, as people of one house use it and its documents may not."""

from pydantic import AwareDatetime, Field

from rag.models.value import Value


class HouseWord(Value):
    """A word that means the same as others: an abbreviation, or what people here call a thing."""

    word: str = Field(min_length=2, max_length=100, description="The word or abbreviation, as `PPE`.")
    means: str = Field(min_length=2, max_length=200, description="What it stands for, as the documents may have it.")
    by: str = Field("", max_length=200, description="Who said so.")
    created_at: AwareDatetime | None = Field(None, description="When (UTC); set when it is kept.")

    def __str__(self) -> str:
        """Return it as an equation."""
        return f"{self.word} = {self.means}"
