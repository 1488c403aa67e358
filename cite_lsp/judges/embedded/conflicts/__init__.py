"""What contradicts a claim: each module finds one kind, and names both sides."""
