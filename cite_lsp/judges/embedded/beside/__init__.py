"""A claim laid beside lines: which of its terms stand where."""
