"""Who speaks: a model that is prompted and checked, or quotations; and the answer that comes of it."""
