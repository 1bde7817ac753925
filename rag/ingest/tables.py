"""Tables whose rows are cut apart."""
