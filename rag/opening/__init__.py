"""First contact: what is no question to the documents, and how a question is read that is not put well.

An opening (`opening_of`) is a greeting, thanks, a question about Candor or its documents, or asks for a summary or a
section. `is_foreign`, `corrected` and `questions_in` look at ordinary questions: in another language, misspelt, or
two in one.
"""
