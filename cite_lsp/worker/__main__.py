"""The child process: frames on standard input and output, nothing else."""

import signal
import sys

from cite_lsp.worker.giving_back import share_memory
from cite_lsp.worker.lanes import serve
from cite_lsp.worker.output import only_frames_out


def main() -> None:
    """Serve until standard input ends. What anything prints goes nowhere: the pipe is for frames."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends the pipe
    share_memory()
    out = only_frames_out()
    serve(sys.stdin.buffer, out)


if __name__ == "__main__":
    main()
