"""What the citations point at: paths, lines, resolutions, excerpts, and git."""
