"""The child process: frames on standard input and output, nothing else."""

import os
import signal
import sys


def main() -> None:
    """Serve until standard input ends. What anything prints goes nowhere: the pipe is for frames."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends the pipe
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = sys.stderr
    from cite_lsp.worker.parsing.service import serve  # noqa: PLC0415 - whatever loading it prints is no frame

    serve(sys.stdin.buffer, out)


if __name__ == "__main__":
    main()
