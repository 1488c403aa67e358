"""Do the cited lines carry the claim: options, rows, verdicts."""
