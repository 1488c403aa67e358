"""What a claim says: its clauses, terms and values."""
