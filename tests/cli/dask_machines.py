"""Machines of a Dask cluster on loopback, each a process that ends with its standard input.

    python dask_machines.py local 2                          a scheduler with two workers, each restarted when it dies
    python dask_machines.py scheduler                        a scheduler without workers
    python dask_machines.py worker ADDRESS [AS]              a worker; AS: `other-version` or `without-package`,
                                                             `other-host`, or `later`: of another version at 127.0.0.2

The first line of output is an address; of `local` the second is the process numbers of its workers.
"""

import asyncio
import os
import sys
import tempfile

ALONE = {"host": "127.0.0.1", "dashboard_address": None}


async def _until_the_end_of_input() -> None:
    await asyncio.to_thread(sys.stdin.read)


async def local(workers: int) -> None:
    from distributed import Client, LocalCluster

    folder = tempfile.gettempdir()
    async with (
        LocalCluster(None, workers, 1, asynchronous=True, local_directory=folder, **ALONE) as found,
        Client(found, asynchronous=True) as client,
    ):
        print(found.scheduler_address, flush=True)
        print(*(await client.run(os.getpid)).values(), flush=True)
        await _until_the_end_of_input()


async def scheduler() -> None:
    from distributed import Scheduler

    async with Scheduler(port=0, dashboard=False, host="127.0.0.1") as found:
        print(found.address, flush=True)
        await _until_the_end_of_input()


async def worker(address: str, how: str = "") -> None:
    if how == "without-package":
        sys.modules["cite_lsp"] = None  # type: ignore[assignment]
    if how in ("other-version", "later"):
        import cite_lsp

        cite_lsp.__version__ = "0.0.9"
    if how == "other-host":
        import platform

        platform.node = lambda: "elsewhere"
    from distributed import Worker

    host = "127.0.0.2" if how == "later" else "127.0.0.1"
    folder = tempfile.gettempdir()
    async with Worker(address, nthreads=1, host=host, dashboard=False, local_directory=folder) as found:
        print(found.address, flush=True)
        await _until_the_end_of_input()


if __name__ == "__main__":
    _, role, *rest = sys.argv
    asyncio.run({"local": lambda: local(int(rest[0])), "scheduler": scheduler, "worker": lambda: worker(*rest)}[role]())
