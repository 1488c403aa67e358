"""`python -m tests.bench.soak --minutes 60`: one real server through hours of random work, and what is left behind.

It must come to rest, show what a fresh server shows, have answered every request once, have grown no more than 5 %,
do nothing when nothing happens, and leave no process. All traffic is on loopback. Exits 1 where something fails.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import cite_lsp
from cite_lsp.findings.catalogue import CATALOGUE, is_policy_code
from tests.bench.client import Gone
from tests.bench.processes import began, descendants, processor_seconds, resident_megabytes
from tests.bench.server import OURS, environment
from tests.bench.soak_client import SoakClient
from tests.bench.soak_ground import BESIDE, CODE, DOCUMENTS, Judge, Repository, any_text
from tests.bench.soak_life import Life

MOST_GROWTH = 0.05
MOST_IDLE = 0.3
"""Percent of one core, of all processes together."""
_PACKAGE = Path(cite_lsp.__file__).parent
_EDITORS = Path(__file__).resolve().parents[1] / "server/capabilities"
_CLIENTS: Mapping[str, str] = {"vscode": "utf-16", "neovim": "utf-8", "helix": "utf-8"}
"""Editors whose captured capabilities are used, in turn by the seed, and the encoding that the server takes of each."""
_WARM = 10 * 60.0
"""Seconds until memory counts."""
_GROWTH_FROM = 20 * 60.0
"""Seconds of a run from which on growth is judged: a shorter one says nothing of it."""
_WINDOW = 5 * 60.0
_SAMPLE = 2.0
_QUIET = 3.0
"""Seconds without a message after which a server that has nothing to do is at rest."""
_PATIENCE = 240.0
_LAST_STEPS = 60


@dataclass(frozen=True)
class Check:
    """One thing that must hold."""

    name: str
    holds: bool
    figure: str
    notes: Sequence[str] = ()


@dataclass
class Soak:
    """What one run is about, and what was seen."""

    minutes: float
    seed: int
    rate: float
    files: int
    idle: float
    look: float
    """Minutes between two comparisons with a fresh server while the work goes on."""
    checks: list[Check] = field(default_factory=list)
    samples: list[tuple[float, dict[str, float]]] = field(default_factory=list)
    """Seconds since the start, and megabytes by process."""
    seen: dict[int, str] = field(default_factory=dict)
    """All processes there were below the server, and when each began."""
    switches: list[float] = field(default_factory=list)

    def check(self, name: str, holds: bool, figure: object = "", notes: Sequence[str] = ()) -> None:
        """Note whether something holds."""
        self.checks.append(Check(name, holds, str(figure), notes))

    @property
    def editor(self) -> str:
        """The editor whose capabilities the client has."""
        return tuple(_CLIENTS)[self.seed % len(_CLIENTS)]


def _capabilities(editor: str) -> Mapping[str, Any]:
    found = json.loads((_EDITORS / f"{editor}.json").read_text(encoding="utf-8"))
    return found.get("capabilities", found)  # type: ignore[no-any-return]


class _Run:
    """The folders, the judge and the server of one run."""

    def __init__(self, soak: Soak, top: Path, judge: Judge, say: Callable[[str], None]) -> None:
        self.soak, self.top, self.judge, self.say = soak, top, judge, say
        self.rng = random.Random(soak.seed)
        self.ground = Repository(top / "work", soak.files)
        self.beside = top / "beside"
        own = top / "own"
        own.mkdir()
        rows = {
            "NAME": "openai",
            "MODEL": "gpt-soak",
            "BASE_URL": f"{judge.server.url}/v1",
            "LIMITS_CONCURRENCY": "4",
            "LIMITS_TIMEOUT": "2",
        }
        self.environment = {
            **environment(own),
            **{f"CITE_LSP_JUDGE_{name}": value for name, value in rows.items()},
            "CITE_LSP_CACHE_PATH": str(top / "cache"),
            "PYTHONPATH": str(top / "package"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "NO_PROXY": "*",
        }
        self.encoding = _CLIENTS[soak.editor]

    def prepare(self) -> None:
        """Write the repository and the folder beside it; copy the package, which somebody may edit meanwhile."""
        shutil.copytree(_PACKAGE, self.top / "package" / _PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        self.say(f"writing {self.soak.files:,} files on two branches below {self.top}")
        self.ground.make(self.rng)
        for name in BESIDE:
            path = self.beside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(any_text(self.rng, name), encoding="utf-8")

    def start(self, name: str) -> SoakClient:
        """Start a server; its log and what it writes to standard error are named after it."""
        log = self.top / f"{name}.log"
        command = [*OURS, "--log-file", str(log), "--log-level", "info"]
        return SoakClient(command, self.top, self.environment, self.top / f"{name}.err")

    def begin(self, client: SoakClient, life: Life, settings: Mapping[str, Any]) -> None:
        """Begin a session of the run's editor."""
        client.settings = settings
        client.initialize(life.folders, _capabilities(self.soak.editor), dict(settings))

    # --- working

    def work(self, client: SoakClient, life: Life) -> None:
        """Do steps until the time is over."""
        for name in (*DOCUMENTS[:14], *CODE[:5]):
            life.show(name, life.on_disk(name) or "")
        start = time.monotonic()
        end, told, sampled = start + self.soak.minutes * 60, start, 0.0
        number, look = 0, start + self.soak.look * 60
        while (now := time.monotonic()) < end:
            if now - sampled > _SAMPLE:
                sampled = now
                self._sample(client.pid, now - start)
            if now - told > 60:
                told = now
                self.say(self._news(client, life, now - start))
            life.step()
            number += 1
            if number % 50 == 0:
                client.all_answered(life.apply_wanted)
            if now > look:
                _look(self, client, life, f"{(now - start) / 60:.1f} min")
                look = time.monotonic() + self.soak.look * 60
            if client.faults or client.ended.is_set() or not all(each.holds for each in self.soak.checks):
                break
            time.sleep(self.rng.expovariate(self.soak.rate))

    def _news(self, client: SoakClient, life: Life, seconds: float) -> str:
        memory = self.soak.samples[-1][1] if self.soak.samples else {}
        sizes = ", ".join(f"{name} {size:.0f}" for name, size in memory.items())
        asked = f"judge {self.judge.asked:,} asked, {self.judge.failed:,} failed"
        return f"{seconds / 60:.0f} min, {sum(life.counts.values()):,} steps; MB: {sizes}; {asked}"

    def _sample(self, pid: int, at: float) -> None:
        sizes = {"server": resident_megabytes(pid) or 0.0}
        for child, what in descendants(pid).items():
            self.soak.seen.setdefault(child, began(child) or "")
            sizes[what] = sizes.get(what, 0.0) + (resident_megabytes(child) or 0.0)
        self.soak.samples.append((at, sizes))

    def rest(self, client: SoakClient, life: Life, what: str) -> None:
        """Wait until a server has come to rest. Raises Gone."""
        end = time.monotonic() + _PATIENCE
        while True:
            life.apply_wanted()
            client.all_answered(life.apply_wanted)
            client.ask("textDocument/hover", _start_of(client, life))  # behind all that was sent
            quiet = time.monotonic() - client.arrived
            busy = client.status.get("queued", 0) or client.status.get("indexing", False)
            if quiet >= _QUIET and not busy:
                return
            if time.monotonic() > end:
                raise Gone(f"{what}: no rest within {_PATIENCE:g} seconds; status {dict(client.status)}")
            time.sleep(0.2)


def _start_of(client: SoakClient, life: Life) -> dict[str, Any]:
    return {"textDocument": {"uri": life.uri("README.md")}, "position": {"line": 0, "character": 0}}


# --- what must hold in the end


def _look(run: _Run, client: SoakClient, life: Life, when: str) -> None:
    """Compare what the server shows with what a fresh one shows of the same files and buffers."""
    of_the_past = _codes_of("verdict", "policy", "drift", "grounding") | {"cited-value", "unused-ignore"}
    run.rest(client, life, when)
    now = dict(client.shown)
    answers = _answers(client, life)
    with _fresh(run, life, f"fresh {when}", client.settings) as (other, other_life):
        run.rest(other, other_life, "a fresh server")
        _tell_differences(run.soak, f"{when}: findings are a fresh server's", life, now, other.shown, of_the_past)
        theirs = _answers(other, other_life)
        asked = dict.fromkeys((*answers, *theirs))  # of other links, other things are asked
        notes = [
            f"{what}: {answers.get(what)} here, fresh {theirs.get(what)}"
            for what in asked
            if answers.get(what) != theirs.get(what)
        ]
        run.soak.check(f"{when}: answers are a fresh server's", not notes, f"{len(answers)} requests", notes)


def _answers(client: SoakClient, life: Life) -> dict[str, object]:
    """Give what a server answers about the open documents: links, where they lead, lenses, who cites."""
    found: dict[str, object] = {}
    for name in life.open:
        document = {"textDocument": {"uri": life.uri(name)}}
        links = client.ask("textDocument/documentLink", document) or []
        found[f"links of {name}"] = links
        lenses = client.ask("textDocument/codeLens", document) or []
        found[f"lenses of {name}"] = [_without_verdicts(each) for each in lenses]
        for link in links[::5]:
            place = {**document, "position": link["range"]["start"]}
            found[f"definition in {name} at {place['position']}"] = client.ask("textDocument/definition", place)
            asked = {**place, "context": {"includeDeclaration": False}}
            found[f"references in {name} at {place['position']}"] = client.ask("textDocument/references", asked)
    return found


def _without_verdicts(lens: Mapping[str, Any]) -> tuple[object, ...]:
    """Give what a fresh server says too: how many citations there are, not what a judge or the past said of them."""
    command = lens.get("command") or {}
    counts = [each for each in str(command.get("title", "")).split(", ") if "cit" in each]
    return lens["range"], counts, (command.get("arguments") or [None])[-1]


def _compare(run: _Run, client: SoakClient, life: Life) -> None:
    """Compare once as all is, and once more when all is saved, committed and judged."""
    _look(run, client, life, "the end")
    run.judge.reliable = True
    life.settle_settings({"judge": {"run": "manual"}})
    life.write_or_remove("cite-lsp.toml", "")
    life.write_or_remove(".gitignore", "build/\n")
    run.rest(client, life, "after the settings")
    for name in life.open:
        if not name.startswith("untitled:"):
            life.save(name)
    life.commit()
    _judge_all(run, client, life)
    now = dict(client.shown)
    with _fresh(run, life, "fresh, all saved", client.settings) as (other, other_life):
        _judge_all(run, other, other_life)
        _tell_differences(run.soak, "and with verdicts and drift, all saved", life, now, other.shown, frozenset())


def _codes_of(*layers: str) -> frozenset[str]:
    return frozenset(name for name, code in CATALOGUE.items() if code.layer in layers) - {"policy-file"}


@contextlib.contextmanager
def _fresh(run: _Run, life: Life, name: str, settings: Mapping[str, Any]) -> Iterator[tuple[SoakClient, Life]]:
    """Start another server on the same files and buffers."""
    with run.start(name.replace(" ", "-")) as client:
        other = Life(client, run.ground, run.beside, run.encoding, random.Random(0))
        other.two = life.two
        run.begin(client, other, settings)
        for each, text in life.open.items():
            other.show(each, text)
        yield client, other
        run.soak.check(f"the {name} server ends", client.leave() == 0)
        _check_client(run, client, name)


def _judge_all(run: _Run, client: SoakClient, life: Life) -> None:
    run.rest(client, life, "before all is judged")
    for name in life.open:
        if not name.endswith((".py", ".toml")):
            command = {"command": "cite-lsp.server.judgeDocument", "arguments": [{"uri": life.uri(name)}]}
            client.ask("workspace/executeCommand", command, _PATIENCE)
    run.rest(client, life, "after all was judged")


def _tell_differences(
    soak: Soak,
    what: str,
    life: Life,
    now: Mapping[str, list[dict[str, Any]]],
    fresh: Mapping[str, list[dict[str, Any]]],
    without: frozenset[str],
) -> None:
    notes, compared = [], 0
    for name in life.open:
        uri = life.uri(name)
        ours, theirs = list(now.get(uri, [])), list(fresh.get(uri, []))
        left_out = without if life.is_committed(name) else without | _codes_of("drift")
        ours, theirs = _without(left_out, ours, theirs)
        compared += len(theirs)
        notes += [f"{name}: only here  {_short(each)}" for each in ours if each not in theirs]
        notes += [f"{name}: only fresh {_short(each)}" for each in theirs if each not in ours]
        if ours != theirs and not notes:
            notes.append(f"{name}: in another order")
    soak.check(what, not notes, f"{compared:,} findings of {len(life.open)} documents", notes)


def _without(codes: frozenset[str], *sides: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], ...]:
    """Leave out findings of some codes, and what they stand in place of: only a server knows them that was there."""
    places = [each["range"] for side in sides for each in side if _is_of(each, codes)]
    return tuple([each for each in side if each["range"] not in places] for side in sides)


def _is_of(finding: Mapping[str, Any], codes: frozenset[str]) -> bool:
    code = str(finding.get("code", ""))
    return code in codes or is_policy_code(code)


def _short(finding: Mapping[str, Any]) -> str:
    start = finding["range"]["start"]
    return f"{start['line'] + 1}:{start['character']} {finding.get('code')} {finding.get('message', '')[:300]!r}"


def _check_client(run: _Run, client: SoakClient, name: str) -> None:
    """Check that all was answered once, and that nothing was written beside the protocol."""
    soak = run.soak
    once = sum(count == 1 for count in client.answers.values())
    soak.check(f"{name}: every request is answered once", once == len(client.sent), f"{once:,} of {len(client.sent):,}")
    soak.check(f"{name}: no fault", not client.faults, len(client.faults), client.faults[:20])
    base = name.replace(" ", "-")
    errors = (run.top / f"{base}.err").read_text(errors="replace")
    soak.check(
        f"{name}: nothing on standard error", not errors, f"{len(errors):,} characters", errors.splitlines()[:20]
    )
    lines = (run.top / f"{base}.log").read_text(errors="replace").splitlines()
    wrong = [line for line in lines if " ERROR " in line or " CRITICAL " in line or line.startswith("Traceback")]
    soak.check(f"{name}: no error in the log", not wrong, f"{len(lines):,} lines", wrong[:20])


def _check_idle(soak: Soak, client: SoakClient) -> None:
    """Watch the processor's time while nothing happens."""
    pids = [client.pid, *descendants(client.pid)]
    before, at = {pid: processor_seconds(pid) for pid in pids}, time.monotonic()
    time.sleep(soak.idle)
    passed = time.monotonic() - at
    spent = {pid: (processor_seconds(pid) or 0.0) - (first or 0.0) for pid, first in before.items()}
    share = sum(spent.values()) / passed * 100
    figure = f"{share:.2f} % over {passed:.0f} s (at most {MOST_IDLE} %)"
    soak.check("idle", share < MOST_IDLE, figure, [f"process {pid}: {seconds:.2f} s" for pid, seconds in spent.items()])


def _check_memory(soak: Soak) -> None:
    """Compare memory after the first minutes with that at the end; by the medians, which one peak does not move."""
    seconds = soak.minutes * 60
    warm = _WARM if seconds >= _GROWTH_FROM else seconds / 3
    window = min(_WINDOW, seconds / 5)
    early = [sum(sizes.values()) for at, sizes in soak.samples if warm <= at < warm + window]
    late = [sum(sizes.values()) for at, sizes in soak.samples if at >= seconds - window]
    if not early or not late:
        soak.check("memory", seconds < _GROWTH_FROM, "not measured: the work ended early")
        return
    first, last = statistics.median(early), statistics.median(late)
    growth = last / first - 1
    judged = seconds >= _GROWTH_FROM
    figure = f"{first:.0f} → {last:.0f} MB, {growth:+.1%}"
    notes = [f"{name}: {_by_time(soak, name)}" for name in soak.samples[-1][1]]
    told = f"(at most {MOST_GROWTH:.0%})" if judged else f"(not judged below {_GROWTH_FROM / 60:.0f} minutes)"
    soak.check("memory", growth <= MOST_GROWTH or not judged, f"{figure} {told}", notes)


def _by_time(soak: Soak, name: str, parts: int = 12) -> str:
    """Give the medians of a process's memory over that many parts of the run."""
    step = max(1, len(soak.samples) // parts)
    sizes = [each.get(name, 0.0) for _, each in soak.samples]
    return " ".join(f"{statistics.median(sizes[low : low + step]):.0f}" for low in range(0, len(sizes), step)) + " MB"


def _check_end(soak: Soak, client: SoakClient) -> None:
    """Have the server leave, and see that nobody is left of it."""
    for child in descendants(client.pid):
        soak.seen.setdefault(child, began(child) or "")
    soak.check("shutdown and exit", client.leave() == 0)
    end = time.monotonic() + 5
    left = list(soak.seen)
    while left and time.monotonic() < end:
        left = [pid for pid in left if began(pid) == soak.seen[pid]]
        time.sleep(0.1)
    soak.check("no process is left", not left, f"{len(soak.seen)} seen below the server", [str(pid) for pid in left])


def soak(soak: Soak, top: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Run; the checks are in `soak` then. Gives what else is worth telling, as JSON."""
    judge = Judge(soak.seed)
    with judge.server:
        run = _Run(soak, top, judge, say)
        run.prepare()
        with run.start("server") as client:
            life = Life(client, run.ground, run.beside, run.encoding, run.rng)
            try:
                run.begin(client, life, {})
                run.work(client, life)
                say("the work is done; waiting for rest, and comparing")
                _compare(run, client, life)
                _check_idle(soak, client)
                _check_memory(soak)
                _check_end(soak, client)
            except Gone as error:
                soak.check("the server answers", False, error)
            except Exception as error:
                soak.check("the soak itself works", False, f"{type(error).__name__}: {error}")
                raise
            finally:
                _check_client(run, client, "server")
                (top / "steps.txt").write_text("\n".join(life.done) + "\n", encoding="utf-8")
        return _told(soak, client, life, judge)


def _told(soak: Soak, client: SoakClient, life: Life, judge: Judge) -> dict[str, Any]:
    return {
        "seed": soak.seed,
        "minutes": soak.minutes,
        "editor": soak.editor,
        "steps": dict(life.counts.most_common()),
        "judge": {"asked": judge.asked, "failed": judge.failed},
        "refused": dict(client.refused.most_common()),
        "messages": dict(Counter(client.messages).most_common(20)),
        "seconds": {method: _spread(times) for method, times in sorted(client.seconds.items())},
        "checks": [asdict(each) for each in soak.checks],
        "samples": soak.samples,
        "last_steps": list(life.done)[-_LAST_STEPS:],
    }


def _spread(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return {"count": len(ordered), "p50": statistics.median(ordered), "p99": p99, "most": ordered[-1]}


# --- the command


def _table(told: Mapping[str, Any], checks: Sequence[Check]) -> str:
    lines = [f"{sum(told['steps'].values()):,} steps as {told['editor']}; judge {told['judge']}"]
    lines.append("  " + ", ".join(f"{name} {count}" for name, count in told["steps"].items()))
    for method, figures in told["seconds"].items():
        times = " / ".join(f"{figures[name] * 1000:.1f}" for name in ("p50", "p99", "most"))
        lines.append(f"  {method:36} {figures['count']:7,}  {times} ms (p50 / p99 / most)")
    lines += [f"  {count}× {what}" for what, count in {**told["refused"], **told["messages"]}.items()]
    for each in checks:
        lines.append(f"{'ok  ' if each.holds else 'FAIL'} {each.name:48} {each.figure}")
        lines += [f"       {note}" for note in each.notes[:40] if not each.holds or each.name == "memory"]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak that is asked for; give the exit status."""
    parser = argparse.ArgumentParser("python -m tests.bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long the work lasts (60)")
    parser.add_argument(
        "--seed", type=int, help="what the steps are drawn by; one is drawn and told where it is absent"
    )
    parser.add_argument("--rate", type=float, default=8.0, help="steps a second, about (8)")
    parser.add_argument("--files", type=int, default=5_000, help="files that change with a branch (5000)")
    parser.add_argument("--idle", type=float, default=30.0, help="seconds of idleness that are watched (30)")
    parser.add_argument("--look", type=float, default=10.0, help="minutes between comparisons with a fresh server (10)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all that was seen, as data")
    parser.add_argument("--keep", action="store_true", help="keep the folder; it is kept where something fails, too")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
    this = Soak(options.minutes, seed, options.rate, options.files, options.idle, options.look)
    again = f"python -m tests.bench.soak --minutes {options.minutes:g} --seed {seed} --rate {options.rate:g}"
    print(f"seed {seed}; again: {again} --files {options.files}", flush=True)
    top = Path(os.path.realpath(tempfile.mkdtemp(prefix="cite-lsp-soak-")))
    fine = False
    try:
        told = soak(this, top, lambda text: print(f"  … {text}", file=sys.stderr, flush=True))
        fine = all(each.holds for each in this.checks)
        print(_table(told, this.checks))
        if options.json is not None:
            options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    finally:
        if fine and not options.keep:
            shutil.rmtree(top, ignore_errors=True)
        else:
            print(f"its folder, with logs and the last steps: {top}")
    print(f"seed {seed}: {'all holds' if fine else 'something fails'}; again: {again} --files {options.files}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
