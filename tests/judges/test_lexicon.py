"""The words by which engineers speak about code: base forms, kin, opposites, and what code says them."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.judges.embedded.lexicon import (
    glue,
    idioms,
    kin,
    kin_actions,
    kin_states,
    kin_things,
    lemma,
    opposed,
    opposites,
    phrases,
    plain,
    sayings,
    scales,
    short_for,
    shortened,
    soft,
    spoken_by,
)

LEMMAS = """
send: sends sent sending
write: writes wrote written writing
build: builds built building
keep: keeps kept keeping
hold: holds held holding
throw: throws threw thrown throwing
run: runs ran running
set: sets set
put: puts put putting
lose: loses lost losing
find: finds found
choose: chooses chose chosen choosing
hide: hides hid hidden hiding
break: breaks broke broken breaking
freeze: freezes froze frozen freezing
override: overrides overrode overridden overriding
overwrite: overwrites overwrote overwritten overwriting
begin: begins began begun
forbid: forbids forbade forbidden forbidding
forget: forgets forgot forgotten forgetting
catch: catches caught catching
shut: shuts shutting
split: splits splitting
quit: quits quitting
get: gets got getting
be: is are was were been
have: has had having
index: indices indexes indexed indexing
query: queries queried querying
alias: aliases aliased aliasing
retry: retries retried retrying
copy: copies copied copying
deny: denies denied denying
tie: ties tied tying
cookie: cookies
child: children
matrix: matrices
vertex: vertices
axis: axes
analysis: analyses
half: halves
person: people
stop: stops stopped stopping
drop: drops dropped dropping
skip: skips skipped skipping
map: maps mapped
plan: plans planned planning
refer: refers referred referring
submit: submits submitted submitting
format: formats formatted formatting
cancel: cancels cancelled cancelling canceled canceling
label: labels labelled labeled
control: controls controlled controlling
add: adds added adding
call: calls called calling
roll: rolls rolled rolling
pass: passes passed passing
process: processes processed processing
address: addresses addressed addressing
miss: misses missed
cache: caches cached caching
store: stores stored storing
raise: raises raised raising
parse: parses parsed parsing
close: closes closed closing
handle: handles handled handling
validate: validates validated validating
create: creates created creating
configure: configures configured configuring
ignore: ignores ignored ignoring
receive: receives received receiving
resolve: resolves resolved resolving
queue: queues queued queueing queuing
replace: replaces replaced replacing
merge: merges merged merging
change: changes changed changing
manage: manages managed managing
describe: describes described describing
decode: decodes decoded decoding_
include: includes included including
invoke: invokes invoked invoking
resume: resumes resumed resuming
escape: escapes escaped escaping
compile: compiles compiled compiling
schedule: schedules scheduled scheduling
define: defines defined defining
execute: executes executed executing
delete: deletes deleted deleting
provide: provides provided providing
unite: united
rename: renames renamed renaming
encourage: encouraged
fail: fails failed failing
load: loads loaded loading
read: reads reading
repeat: repeats repeated repeating
wait: waits waited waiting
limit: limits limited limiting
edit: edits edited editing
monitor: monitors monitored monitoring
enter: enters entered entering
join: joins joined joining
need: needs needed needing
exceed: exceeds exceeded exceeding
free: frees freed freeing
agree: agrees agreed agreeing
log: logs logged logging
debug: debugs debugged debugging
sync: syncs synced syncing
panic: panics panicked panicking
box: boxes boxed boxing
push: pushes pushed pushing
size: sizes sized sizing
database: databases
response: responses
status: statuses status
id: ids
setting: settings setting
warning: warnings warning
string: strings string
normalize: normalise normalised normalises normalising normalized
serialization: serialisation
analyze: analyse analysed analysing
behavior: behaviour behaviours
color: colour coloured colours
license: licence licences
center: centre centred centring_
automatic: automatically
lazy: lazily
recursive: recursively
alphabetical: alphabetically
atomic: atomically
explicit: explicitly
class: classes class
https: https
js: js
css: css
dns: dns
previous: previous
always: always
analytics: analytics
windows: windows
unmanaged: unmanaged
unlock: unlocked
apply: applies applied apply
reply: replies reply
family: families family
early: early
only: only
bus: bus
lens: lenses lens
series: series
speed: speed speeds
feed: feeds fed feeding
thing: things
ring: rings ring
sha256: sha256
"""


def lemma_rows() -> Iterator[tuple[str, str]]:
    for line in LEMMAS.strip().splitlines():
        base, _, forms = line.partition(":")
        yield from ((form, base) for form in forms.split() if not form.endswith("_"))


def lines_of_kin() -> list[str]:
    return [*kin_actions.GROUPS, *kin_states.GROUPS, *kin_things.GROUPS]


def lines_of_opposites() -> list[str]:
    return [*opposites.POLAR, *scales.SCALES]


def listed() -> set[str]:
    groups = chain.from_iterable(line.split() for line in lines_of_kin())
    sides = chain.from_iterable(line.replace("|", " ").split() for line in lines_of_opposites())
    return {*groups, *sides}


@pytest.mark.parametrize(("form", "base"), list(lemma_rows()))
def test_base_forms(form: str, base: str) -> None:
    assert lemma(form) == base
    assert lemma(form.upper()) == base


@given(st.text(max_size=60) | st.from_regex(r"[a-z]{1,12}(s|es|ed|ing|ly|ies|ied|ise)", fullmatch=True))
def test_a_lemma_is_its_own_lemma(word: str) -> None:
    assert lemma(lemma(word)) == lemma(word)


def test_every_listed_word_is_its_own_lemma() -> None:
    values = set(phrases().values())
    long_forms = set(chain.from_iterable(line.split()[1:] for line in shortened.SHORTENED))
    known = listed() | values | long_forms | {word for key in idioms() for word in key.split()}
    assert sorted((word, lemma(word)) for word in known if lemma(word) != word) == []


def test_no_group_holds_a_word_that_only_joins() -> None:
    assert sorted(filter(glue, listed())) == []


def test_no_group_is_said_twice_and_none_is_alone() -> None:
    groups = [frozenset(line.split()) for line in lines_of_kin()]
    assert [group for group, times in Counter(groups).items() if times > 1] == []
    assert all(len(group) > 1 for group in groups)


def test_kin_and_opposites_go_both_ways() -> None:
    for word in listed():
        for relation in (kin, opposed):
            assert word not in relation(word)
            assert all(word in relation(other) for other in relation(word)), word


def test_no_word_says_both_the_same_and_the_opposite() -> None:
    assert sorted((word, other) for word in listed() for other in kin(word) & opposed(word)) == []


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("maximum", "cap"),
        ("ceiling", "limits"),
        ("timeouts", "deadline"),
        ("removes", "discards"),
        ("evicted", "purged"),
        ("replaced", "overwritten"),
        ("thrown", "raises"),
        ("rejects", "raise"),
        ("returned", "yields"),
        ("invoked", "called"),
        ("casts", "converted"),
        ("ignored", "skipping"),
        ("kept", "retained"),
        ("allowed", "permits"),
        ("forbidden", "disallows"),
        ("started", "begins"),
        ("sleeps", "waiting"),
        ("replies", "responses"),
        ("hops", "redirects"),
        ("folders", "directories"),
        ("text", "strings"),
        ("missing", "None"),
        ("missing", "null"),
        ("settings", "configuration"),
        ("parameters", "args"),
        ("requirements", "dependencies"),
        ("retries", "attempts"),
        ("retrieved", "fetches"),
        ("quotes", "escaped"),
        ("darwin", "macOS"),
        ("validation", "validates"),
        ("behaviour", "behavior"),
        ("serialisation", "serialized"),
        ("newest", "latest"),
    ],
)
def test_kin_by_any_form(word: str, other: str) -> None:
    assert lemma(other) == lemma(word) or lemma(other) in kin(word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("enabled", "disables"),
        ("allows", "forbids"),
        ("before", "after"),
        ("first", "last"),
        ("ascending", "descending"),
        ("minimum", "maximum"),
        ("more", "fewer"),
        ("added", "removes"),
        ("accepted", "rejects"),
        ("kept", "dropped"),
        ("required", "optional"),
        ("includes", "excluded"),
        ("public", "private"),
        ("sync", "async"),
        ("True", "false"),
        ("always", "never"),
        ("increased", "decreases"),
        ("upper", "lower"),
        ("encodes", "decoded"),
        ("newest", "oldest"),
        ("prepends", "appended"),
        ("strict", "lenient"),
        ("mutable", "frozen"),
        ("blocking", "nonblocking"),
        ("succeeds", "failed"),
        ("visible", "hidden"),
        ("lazily", "eager"),
        ("inclusive", "exclusive"),
        ("warning", "error"),
    ],
)
def test_opposites_by_any_form(word: str, other: str) -> None:
    assert lemma(other) in opposed(word)
    assert lemma(other) not in kin(word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("clients", "server"),
        ("parent", "children"),
        ("source", "destination"),
        ("sender", "receivers"),
        ("left", "right"),
        ("reads", "writes"),
        ("request", "responses"),
        ("local", "remote"),
        ("minutes", "seconds"),
    ],
)
def test_roles_exclude_nothing(word: str, other: str) -> None:
    assert lemma(other) not in opposed(word)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("handed back", "return"),
        ("left out", "omit"),
        ("switched off", "disable"),
        ("turned away", "reject"),
        ("out of the box", "default"),
        ("carries on", "continue"),
        ("looked up", "find"),
        ("gives up", "stop"),
        ("at most", "maximum"),
        ("command line", "cli"),
        ("carriage return", "cr"),
        ("read only", "readonly"),
        ("one at a time", "sequential"),
    ],
)
def test_phrases(said: str, meant: str) -> None:
    assert phrases()[tuple(map(lemma, said.split()))] == meant


def test_no_phrase_says_two_things() -> None:
    said: dict[tuple[str, ...], set[str]] = {}
    for line in sayings.SAYINGS:
        left, _, meant = line.partition("=")
        for phrase in left.split(","):
            said.setdefault(tuple(map(lemma, phrase.split())), set()).add(meant.strip())
    assert {key: meanings for key, meanings in said.items() if len(meanings) > 1} == {}


def test_phrases_are_of_several_lemmas_and_say_something() -> None:
    for key, meant in phrases().items():
        assert 2 <= len(key) <= 5, key
        assert key == tuple(map(lemma, key))
        assert not glue(meant), key


@pytest.mark.parametrize(
    ("piece", "word"),
    [("cfg", "configuration"), ("opts", "option"), ("ctx", "context"), ("recv", "receive"), ("Idx", "index")],
)
def test_abbreviations(piece: str, word: str) -> None:
    assert word in short_for(piece)
    assert piece.lower() not in short_for(piece)


def test_no_abbreviation_is_listed_twice() -> None:
    firsts = Counter(line.split()[0] for line in shortened.SHORTENED)
    assert [piece for piece, times in firsts.items() if times > 1] == []
    assert short_for("nothing-of-the-kind") == frozenset()


def test_soft_words_are_soft_in_their_base_form() -> None:
    words = [word for text in plain.SOFT for word in text.split()]
    assert [word for word in words if not soft(word) or not soft(lemma(word))] == []
    assert [word for word in words if glue(word)] == []
    assert [word for word in plain.GLUE.split() if not glue(word) or not glue(lemma(word))] == []


@pytest.mark.parametrize("word", "not no off before after never only unless more less first last all".split())
def test_polarity_order_and_quantity_neither_join_nor_are_soft(word: str) -> None:
    assert not glue(word)
    assert not soft(word)


@pytest.mark.parametrize(
    "word", "remove limit timeout retry lock raise private default error block keep sort show often following".split()
)
def test_what_a_line_can_show_is_not_soft(word: str) -> None:
    assert not soft(word)


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("raises", '    panic!("no")'),
        ("fails", "return Err(e)"),
        ("refuses", "throw new Error('x')"),
        ("gives", "return x"),
        ("lowercase", "name.toLowerCase()"),
        ("lowercase", "key.casefold()"),
        ("lowercase", "to_lower(c)"),
        ("waits", "time.sleep(1)"),
        ("loops", "for item in items:"),
        ("skips", "continue"),
        ("splits", "text.split(',')"),
        ("trims", "line.strip()"),
        ("copies", "items.slice()"),
        ("removed", "delete cache[key]"),
        ("empty", "if (rows.length === 0) {"),
        ("empty", "if not rows:"),
        ("missing", "if value is None:"),
        ("least", "if n >= 3:"),
        ("more", "if n > 3:"),
        ("most", "if (n <= 3)"),
        ("less", "n < 3"),
        ("equal", "a === b"),
        ("pinned", "httpx==0.27.0"),
        ("loopback", 'HOST = "127.0.0.1"'),
        ("loopback", "localhost"),
        ("everywhere", 'bind("0.0.0.0", 80)'),
        ("latin", 'encoding="ISO-8859-1"'),
        ("permanent", "return redirect(url, code=308)"),
        ("not found", "status = 404"),
        ("too many requests", "if response.status == 429:"),
        ("https", "port: 443"),
        ("march", "month == 3"),
        ("interrupt", "signal.SIGINT"),
        ("python", 'glob("*.py")'),
        ("asynchronous", "async def run():"),
        ("constant", "MAX_SIZE = 3"),
        ("private", "def _load(self):"),
        ("hour", "TTL = 3600"),
        ("random", "random.uniform(0, 1)"),
        ("environment", 'os.environ["HOME"]'),
        ("floor", "a // b"),
        ("reversed", "text[::-1]"),
        ("permission denied", "except PermissionError:"),
        ("exponentially", "delay = 2 ** attempt"),
    ],
)
def test_code_says_a_word(word: str, line: str) -> None:
    assert spoken_by(word, line)


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("raise", "return value"),
        ("lowercase", "name.upper()"),
        ("wait", "total = price * count"),
        ("more", "callback = () => done"),
        ("least", "items.map(x => x)"),
        ("not found", "size = 4040"),
        ("permanent", "code = 3080"),
        ("empty", "total = price"),
        ("loopback", '"10.0.0.1"'),
        ("equal", "a = b"),
        ("equal", "a != b"),
        ("random", "seed = fixed"),
        ("asynchronous", "def run():"),
        ("march", "size = 13"),
        ("hour", "TTL = 36000"),
        ("unheard-of", "unheard_of = 1"),
    ],
)
def test_code_does_not_say_a_word(word: str, line: str) -> None:
    assert not spoken_by(word, line)


def test_names_of_idioms_are_in_the_form_that_is_looked_for() -> None:
    for word, idiom in idioms().items():
        assert idiom.names or idiom.signs, word
        assert all(re.fullmatch(r"[a-z0-9]+", name) for name in idiom.names), (word, idiom.names)


def test_every_sign_is_an_expression() -> None:
    for word, idiom in idioms().items():
        assert re.compile(idiom.signs).search("") is None or not idiom.signs, word


@given(st.sampled_from(sorted(idioms())), st.text(max_size=200))
def test_any_line_may_be_asked(word: str, line: str) -> None:
    assert spoken_by(word, line) in (True, False)


@pytest.mark.parametrize("repeated", ["[", "'", '"', "(", "a", "_", "<", "? ", ". ", "\\", "if ", "0.", " - "])
def test_signs_end_soon_on_long_lines(repeated: str) -> None:
    line = repeated * 400
    for word in idioms():
        spoken_by(word, line)
