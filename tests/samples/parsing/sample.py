"""Module docs."""
import os
from net.http import Client as C, retry
MAX: int = 3
first, second = "a", [1, 2]
counter += 1

# Mounts an adapter.
@deprecated("2.0", since=1)
@property
async def mount(self, prefix, *args, timeout: float = 1.5, retries=MAX, name: str, **more):
    """Doc of mount.

    Second.
    """
    key = os.environ.get("KEY", "none")
    zone = os.getenv("ZONE") or "utc"
    if 0 < timeout <= 30 and prefix is not None:
        raise ValueError(f"bad {prefix}") from None
    elif name not in self.names:
        return self.session.get(prefix, timeout=timeout).json()
    else:
        pass
    try:
        run()
    except (KeyError, OSError) as error:
        raise
    except Exception:
        raise Stop
    except:
        log(lambda x: x + 1)
    while not done:
        step({"depth": 4, size: 5})
    match status:
        case 404 | 410:
            skip()
        case _:
            pass
    if (n := os.environ["N"]) == "1":
        return


class Session(Base, kind=K):
    # The limit.
    limit = 8
    a = b = 7

    def close(self):
        return None
