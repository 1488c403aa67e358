"""Who the embedded judge is: known without loading it, as where its verdicts are kept and it is asked elsewhere."""

IDENTITY = "embedded/2"
READS_FILE = True
"""Its verdicts depend on the cited file beyond the excerpts."""
