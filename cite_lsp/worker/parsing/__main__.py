"""The child process: frames on standard input and output, nothing else."""

import signal
import sys

from cite_lsp.worker.output import only_frames_out


def main() -> None:
    """Serve until standard input ends. What anything prints goes nowhere: the pipe is for frames."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends the pipe
    out = only_frames_out()
    from cite_lsp.worker.parsing.service import serve  # noqa: PLC0415 - whatever loading it prints is no frame

    serve(sys.stdin.buffer, out)


if __name__ == "__main__":
    main()
