"""The standard output of a child process."""

import os
import sys
from typing import BinaryIO


def only_frames_out() -> BinaryIO:
    """Give a child process its standard output for frames. What anything prints from then on goes nowhere."""
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = sys.stderr
    return out
