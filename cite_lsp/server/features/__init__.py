"""What the server answers, one module for each method or command."""
