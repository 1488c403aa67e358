"""Memory that is free goes back to the system, though something behind it is still in use."""

import subprocess
import sys

import pytest

HOLED = """
from pathlib import Path

from cite_lsp.worker.giving_back import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

give_back()  # loads what it needs
many = [bytes(5_000) for _ in range(20_000)]
kept = [bytes(5_000) for _ in range(10)]
full = resident()
del many
holed = resident()
give_back()
print(full, holed, resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="not run: only the C library of Linux keeps what is free")
def test_what_is_free_below_what_is_used_goes_back() -> None:
    done = subprocess.run([sys.executable, "-c", HOLED], capture_output=True, text=True, check=True)
    full, holed, after = map(int, done.stdout.split())
    if holed < full - 50_000_000:
        pytest.skip("not run: this C library keeps nothing back")
    assert after < full - 50_000_000


THREADS = """
import re, sys, threading
from pathlib import Path

from cite_lsp.worker.giving_back import share_memory

if sys.argv[1] == "shared":
    share_memory()
kept, end, begun = [], threading.Event(), threading.Barrier(9)

def work():
    kept.append([bytes(50_000) for _ in range(10)])
    begun.wait()
    end.wait()

threads = [threading.Thread(target=work) for _ in range(8)]
for each in threads:
    each.start()
begun.wait()
places = 0  # a thread's own begins at a multiple of 64 MB
for line in Path("/proc/self/maps").read_text().splitlines():
    start = re.match("([0-9a-f]+)-[0-9a-f]+ rw", line)
    places += bool(start) and int(start[1], 16) % (64 << 20) == 0
end.set()
print(places)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="not run: only on Linux threads have memory of their own")
def test_threads_take_memory_from_the_same_places() -> None:
    def places(how: str) -> int:
        command = [sys.executable, "-c", THREADS, how]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    if places("apart") < 4:
        pytest.skip("not run: this C library gives threads no memory of their own")
    assert places("shared") <= 2


LARGE_BLOCKS = """
import sys
from pathlib import Path

from cite_lsp.worker.giving_back import share_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

if sys.argv[1] == "apart":
    share_memory()
del (first := [bytes(20_000_000)])[:]  # from now on the library would take such blocks from the heap
many = [b"x" * 1_000_000 for _ in range(50)]
kept = [bytes(5_000) for _ in range(100)]
full = resident()
del many
print(full - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="not run: only the C library of Linux moves that bound")
def test_large_blocks_go_back_by_themselves() -> None:
    def given_back(how: str) -> int:
        command = [sys.executable, "-c", LARGE_BLOCKS, how]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    if given_back("together") > 40_000_000:
        pytest.skip("not run: this C library keeps no large blocks")
    assert given_back("apart") > 40_000_000
