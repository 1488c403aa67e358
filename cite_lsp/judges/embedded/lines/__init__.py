"""What cited lines say: their facts and sentences."""
