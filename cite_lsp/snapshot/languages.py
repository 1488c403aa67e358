"""What the excerpt rules need to know of a cited file's language: comments, definitions, brackets, keys.

The tables are for text rules, not for a parser: a language is described by how its comments start, how a
definition opens, and how the end of one is found.
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["markdown", "rst", "asciidoc", "text", "code"]
Body = Literal["indent", "ends", "braces"]
Keys = Literal["yaml", "toml", "ini", "json"]


@dataclass(frozen=True, slots=True)
class Language:
    """A language as the text rules see it.

    `line` are the prefixes of line comments, `blocks` the openers and closers of block comments. `body`
    says how a definition ends: by indentation, by indentation and a closing word, or by bracket depth.
    `semicolons` says that at depth zero only a semicolon ends it, never a line end. `single` says what a
    single quote opens.
    """

    kind: Kind = "code"
    line: tuple[str, ...] = ()
    blocks: tuple[tuple[str, str], ...] = ()
    definition: re.Pattern[str] | None = None
    attribute: re.Pattern[str] | None = None
    body: Body = "braces"
    semicolons: bool = False
    brackets: bool = True
    single: Literal["string", "char"] = "string"
    multiline: tuple[str, ...] = ()
    keys: Keys | None = None
    docstrings: bool = False


_C_BLOCK = (("/*", "*/"),)

# Every pattern is matched at the start of at most a few hundred characters of a line, and no repeated group
# can match the same text in two ways, so none of them backtracks beyond a small constant.
PYTHON_DEFINITION = re.compile(r"[ \t]*(?:async[ \t]+def|def|class|cdef|cpdef)\b")
_SCRIPT = re.compile(
    r"[ \t]*(?:(?:export|default|declare|abstract|async)[ \t]+){0,5}"
    r"(?:function\b|class\b|interface[ \t]+\w|(?:const[ \t]+)?enum[ \t]+\w|type[ \t]+\w+[^=]{0,80}="
    r"|(?:namespace|module)[ \t]+[\w.'\"]+[ \t]*\{"
    r"|(?:const|let|var)[ \t]+[\w$]+[^=]{0,80}=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^()]*\)[^=()]{0,80}=>|[\w$]+[ \t]*=>))"
    r"|[ \t]+(?:(?:public|private|protected|static|async|readonly|override|abstract|get|set)[ \t]+){0,5}"
    r"(?!(?:if|for|while|switch|catch|return|function|with|do|else|await|new|typeof)\b)"
    r"[#*]?[\w$]+[ \t]*(?:<[^()]*>)?\([^'\"`;]*\)[ \t]*(?::[^=;(){}]{0,120})?\{[ \t]*$"
)
_RUST = re.compile(
    r"[ \t]*(?:pub(?:\([^)]{0,40}\))?[ \t]+)?"
    r"(?:(?:default|const|async|unsafe|extern(?:[ \t]+\"[^\"]{0,20}\")?)[ \t]+){0,5}"
    r"(?:(?:fn|struct|enum|union|trait|mod|type)[ \t]+\w|impl\b|macro_rules!)"
)
_GO = re.compile(r"func\b|[ \t]*type[ \t]+\w")
_C_FUNCTION = (
    r"(?![ \t]*(?:if|for|while|switch|return|else|do|case|goto|sizeof|delete|new|throw|using|typedef|catch"
    r"|await|yield|assert|import|package)\b)"
    r"[ \t]*(?:[A-Za-z_~][\w:<>,.?~\[\]]*[\s*&]+){1,8}[A-Za-z_~][\w:~]*[ \t]*\([^;]*(?:\{.*)?$"
)
_C = re.compile(
    r"[ \t]*(?:(?:typedef|static|extern|inline|constexpr|export)[ \t]+){0,5}"
    r"(?:struct|enum(?:[ \t]+class)?|union|class|namespace)\b[^;()=]{0,200}(?:\{.*)?$"
    r"|" + _C_FUNCTION
)
_MODIFIERS = (
    r"(?:public|private|protected|internal|static|final|abstract|sealed|open|override|virtual|async|partial|data"
    r"|readonly|inline|suspend|synchronized|default|unsafe|extern|external|mutating|fileprivate|implicit|case"
    r"|required|convenience|indirect|const|tailrec|operator|infix|annotation|value|inner|companion|expect|actual)"
)
_OBJECTS = re.compile(
    rf"[ \t]*(?:{_MODIFIERS}[ \t]+){{0,8}}"
    r"(?:class|interface|enum|record|struct|trait|object|protocol|extension|actor|fun|func|function|namespace"
    r"|mixin|typealias|delegate|constructor|init|def|contract|library|message|service|rpc|oneof|input|union)"
    r"(?=[ \t]+[\w`<]|[ \t]*[({<])"
    rf"|[ \t]*(?:{_MODIFIERS}[ \t]+){{1,8}}[\w<>\[\],.?]{{0,80}}[ \t]*\w{{1,80}}[ \t]*\([^;]*(?:\{{.*)?$"
    r"|" + _C_FUNCTION
)
_SQL = re.compile(r"[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?\w+", re.IGNORECASE)
_LISP = re.compile(r"[ \t]*\(def")
_ENDS = re.compile(
    r"[ \t]*(?:(?:local|private|protected|public|static|mutable|abort)[ \t]+){0,3}"
    r"(?:def\w*|class|module|function!?|macro|struct|sub|proc)[ \t]+[\w:.]"
)
_SHELL = re.compile(r"[ \t]*(?:function[ \t]+[\w:.-]+|[\w:.-]+[ \t]*\([ \t]*\))")

_AT = re.compile(r"[ \t]*@\w")
_SQUARE = re.compile(r"[ \t]*\[\w")
_HASH_SQUARE = re.compile(r"[ \t]*#!?\[")
_TEMPLATE = re.compile(r"[ \t]*(?:template[ \t]*<|\[\[)")


def _hash(definition: re.Pattern[str] | None = None, **more: bool) -> Language:
    """A language with # comments whose definitions end with a closing word."""
    return Language(line=("#",), definition=definition, body="ends", brackets=more.get("brackets", True))


def _slash(definition: re.Pattern[str] | None, attribute: re.Pattern[str] | None, **more: bool) -> Language:
    """A language with // and /* */ comments and definitions in braces."""
    return Language(
        line=("//",),
        blocks=_C_BLOCK,
        definition=definition,
        attribute=attribute,
        semicolons=more.get("semicolons", False),
        single="char",
        multiline=('"""',) if more.get("triple") else (),
    )


_LINE_ENDED = _slash(_OBJECTS, _AT, triple=True)
_TERMINATED = _slash(_OBJECTS, _AT, semicolons=True, triple=True)
_SCRIPTS = Language(line=("//",), blocks=_C_BLOCK, definition=_SCRIPT, attribute=_AT, multiline=("`",))
_C_LIKE = _slash(_C, _TEMPLATE, semicolons=True)
_MARKUP = Language(blocks=(("<!--", "-->"),), brackets=False)
_PLAIN = Language(brackets=False)

_LANGUAGES: dict[str, Language] = {
    "markdown": Language(kind="markdown"),
    "rst": Language(kind="rst"),
    "asciidoc": Language(kind="asciidoc", line=("//",)),
    "text": Language(kind="text"),
    "python": Language(
        line=("#",),
        definition=PYTHON_DEFINITION,
        attribute=_AT,
        body="indent",
        multiline=('"""', "'''"),
        docstrings=True,
    ),
    "shell": _hash(_SHELL, brackets=False),
    "powershell": Language(line=("#",), blocks=(("<#", "#>"),), definition=_ENDS, body="ends", brackets=False),
    "ruby": _hash(_ENDS),
    "elixir": _hash(_ENDS),
    "julia": _hash(_ENDS),
    "perl": _hash(_ENDS, brackets=False),
    "hash-comments": _hash(brackets=False),
    "r": _hash(),
    "nix": Language(line=("#",), blocks=_C_BLOCK),
    "hcl": Language(line=("#", "//"), blocks=_C_BLOCK),
    "graphql": Language(line=("#",), definition=_OBJECTS, multiline=('"""',)),
    "yaml": Language(line=("#",), keys="yaml"),
    "toml": Language(line=("#",), keys="toml", multiline=('"""', "'''")),
    "ini": Language(line=("#", ";", "!"), keys="ini", brackets=False),
    "json": Language(line=("//",), blocks=_C_BLOCK, keys="json"),
    "javascript": _SCRIPTS,
    "typescript": _SCRIPTS,
    "rust": _slash(_RUST, _HASH_SQUARE, semicolons=True),
    "go": Language(line=("//",), blocks=_C_BLOCK, definition=_GO, single="char", multiline=("`",)),
    "c": _C_LIKE,
    "cpp": _C_LIKE,
    "java": _TERMINATED,
    "csharp": _slash(_OBJECTS, _SQUARE, semicolons=True, triple=True),
    "dart": _TERMINATED,
    "solidity": _TERMINATED,
    "protobuf": _TERMINATED,
    "zig": Language(line=("//",), single="char"),
    "php": Language(
        line=("//", "#"),
        blocks=_C_BLOCK,
        definition=_OBJECTS,
        attribute=_HASH_SQUARE,
        semicolons=True,
    ),
    "kotlin": _LINE_ENDED,
    "swift": _LINE_ENDED,
    "scala": _LINE_ENDED,
    "groovy": _LINE_ENDED,
    "css": Language(blocks=_C_BLOCK),
    "scss": Language(line=("//",), blocks=_C_BLOCK),
    "sql": Language(line=("--",), blocks=_C_BLOCK, definition=_SQL, semicolons=True),
    "lua": Language(line=("--",), blocks=(("--[[", "]]"),), definition=_ENDS, body="ends"),
    "haskell": Language(line=("--",), blocks=(("{-", "-}"),), single="char"),
    "dash-comments": Language(line=("--",), brackets=False),
    "ml": Language(blocks=(("(*", "*)"),), single="char", brackets=False),
    "fsharp": Language(line=("//",), blocks=(("(*", "*)"),), single="char"),
    "slash-comments": Language(line=("//",), blocks=_C_BLOCK, single="char"),
    "lisp": Language(line=(";",), blocks=(("#|", "|#"),), definition=_LISP, single="char"),
    "assembly": Language(line=(";", "#", "//"), blocks=_C_BLOCK, brackets=False),
    "percent-comments": Language(line=("%",), brackets=False),
    "vim": Language(line=('"',), definition=_ENDS, body="ends", brackets=False),
    "visual-basic": Language(line=("'",), brackets=False),
    "batch": Language(line=("rem ", "REM ", "::"), brackets=False),
    "fortran": Language(line=("!",), brackets=False),
    "html": _MARKUP,
    "xml": _MARKUP,
    "component": Language(line=("//",), blocks=(("<!--", "-->"), *_C_BLOCK), definition=_SCRIPT, multiline=("`",)),
    "data": _PLAIN,
}

_EXTENSIONS: dict[str, str] = {
    extension: name
    for name, extensions in {
        "markdown": "md mdx markdown rmd qmd",
        "rst": "rst",
        "asciidoc": "adoc asciidoc",
        "text": "txt org typ",
        "python": "py pyi pyx pxd pyw bzl bazel star",
        "shell": "sh bash zsh fish ksh bats",
        "powershell": "ps1 psm1 psd1",
        "ruby": "rb rake gemspec",
        "elixir": "ex exs",
        "julia": "jl",
        "perl": "pl pm",
        "hash-comments": "mk cmake ninja meson tcl awk nu robot po pot gd rego conf cnf coffee nim vy",
        "r": "r",
        "nix": "nix",
        "hcl": "tf tfvars hcl",
        "graphql": "graphql gql",
        "yaml": "yaml yml",
        "toml": "toml lock",
        "ini": "ini cfg properties env tscn",
        "json": "json jsonc json5 jsonl ndjson geojson ipynb avsc",
        "javascript": "js mjs cjs jsx",
        "typescript": "ts mts cts tsx",
        "rust": "rs",
        "go": "go",
        "c": "c h cl",
        "cpp": "cc hh cpp hpp cxx hxx inl ipp tpp ixx cu cuh mm metal",
        "java": "java",
        "csharp": "cs csx",
        "dart": "dart",
        "solidity": "sol",
        "protobuf": "proto thrift capnp",
        "zig": "zig",
        "php": "php phtml",
        "kotlin": "kt kts",
        "swift": "swift",
        "scala": "scala sbt",
        "groovy": "groovy gradle",
        "css": "css",
        "scss": "scss sass less",
        "sql": "sql",
        "lua": "lua luau",
        "haskell": "hs lhs elm purs",
        "dash-comments": "ada adb ads vhd vhdl",
        "ml": "ml mli mll mly",
        "fsharp": "fs fsi fsx",
        "slash-comments": "odin vala move cairo wgsl glsl vert frag comp geom tesc tese hlsl hlsli sv svh v"
        " vh cue prisma gleam mlir dts dtsi g4 pas dpr styl td ld",
        "lisp": "lisp el scm rkt clj cljs cljc edn wat",
        "assembly": "asm nasm s",
        "percent-comments": "erl hrl tex sty bib",
        "vim": "vim",
        "visual-basic": "vb",
        "batch": "bat cmd",
        "fortran": "f90 f95 f03 f08",
        "html": "html htm xhtml twig erb haml slim pug hbs ejs njk j2 jinja jinja2 tmpl tpl gotmpl",
        "xml": "xml xsd xsl xslt svg wsdl plist xaml csproj fsproj vbproj vcxproj",
        "component": "vue svelte astro razor cshtml",
        "data": "csv tsv log diff patch sln cob cbl",
    }.items()
    for extension in extensions.split()
}

_NAMES: dict[str, str] = {
    "makefile": "hash-comments",
    "gnumakefile": "hash-comments",
    "dockerfile": "hash-comments",
    "containerfile": "hash-comments",
    "cmakelists.txt": "hash-comments",
    "robots.txt": "hash-comments",
    "codeowners": "hash-comments",
    "justfile": "hash-comments",
    ".gitignore": "hash-comments",
    ".gitattributes": "hash-comments",
    ".dockerignore": "hash-comments",
    ".editorconfig": "ini",
    ".gitmodules": "ini",
    ".gitconfig": "ini",
    ".env": "ini",
    ".bashrc": "shell",
    ".zshrc": "shell",
    ".profile": "shell",
    "build": "python",
    "workspace": "python",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "vagrantfile": "ruby",
    "jenkinsfile": "groovy",
    "package-lock.json": "json",
    "yarn.lock": "hash-comments",
    "go.mod": "slash-comments",
    "go.sum": "data",
}


def language_of(path: str) -> str | None:
    """The name of the language of the file at `path` (POSIX), by its name; None when the name does not tell.

    The name is what `unit_excerpt` takes; it is never read from the file's text.
    """
    name = path.rpartition("/")[2].lower()
    if name in _NAMES:
        return _NAMES[name]
    stem, dot, extension = name.rpartition(".")
    if extension == "txt" and stem.startswith(("requirements", "constraints")):
        return "hash-comments"
    if not dot:
        return None
    if name.startswith(("dockerfile.", "containerfile.", "makefile.")) and extension not in _EXTENSIONS:
        return "hash-comments"
    return _EXTENSIONS.get(extension)


def find_language(name: str | None) -> Language | None:
    """What the rules know of the language called `name`; None for None and for a name they do not know."""
    return None if name is None else _LANGUAGES.get(name)
