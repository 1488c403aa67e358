"""What carries a claim, and what makes it doubtful."""
