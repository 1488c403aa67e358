"""The wires to models: the only room that imports httpx."""
