"""The table of each language: what its grammar calls the nodes, and what is read from them."""
