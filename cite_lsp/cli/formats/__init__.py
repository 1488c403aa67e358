"""One module for each output format of the command line."""
