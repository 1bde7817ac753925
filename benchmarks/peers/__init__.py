"""The same job done by Candor and by five libraries in their documented quick-start form, in one run."""
