"""What the author writes: pure text, no input or output, never raising on what a person typed."""
