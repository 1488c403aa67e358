"""Who answers rows: the judges."""
