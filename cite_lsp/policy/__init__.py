"""Questions that a team asks of every document: policies, asked in two rounds of whoever answers yes or no."""
