"""Which file extensions make `name.ext:12` a citation without asking whether the file exists (anchors.md)."""

EXTENSIONS: frozenset[str] = frozenset(
    (
        # C family, JVM, functional and systems languages
        "c h cc hh cpp hpp cxx hxx inl ipp tpp ixx cu cuh cl mm swift metal java kt kts scala sbt "
        "groovy gradle clj cljs cljc edn go rs zig nim vala odin hs lhs elm purs ml mli mll mly fs "
        "fsi fsx cs csx vb razor cshtml xaml csproj fsproj vbproj vcxproj sln "
        # Web
        "js mjs cjs jsx ts mts cts tsx vue svelte astro coffee css scss sass less styl html htm "
        "xhtml xml xsd xsl xslt svg wsdl plist php phtml twig erb haml slim pug hbs ejs njk j2 jinja "
        "jinja2 tmpl tpl gotmpl "
        # Scripting, scientific, logic, hardware and shader languages
        "py pyi pyx pxd pyw ipynb rb rake gemspec pl pm lua luau tcl jl ex exs erl hrl gleam lisp el "
        "scm rkt dart f90 f95 f03 f08 pas dpr ada adb ads cob cbl asm nasm sv svh vhd vhdl sol move "
        "cairo vy wat wgsl glsl vert frag comp geom tesc tese hlsl hlsli gd tscn rmd qmd "
        # Shells, queries, schemas, build and infrastructure
        "sh bash zsh fish ksh ps1 psm1 psd1 bat cmd awk nu vim sql graphql gql proto thrift avsc "
        "capnp prisma tf tfvars hcl cue rego nix bzl bazel cmake mk ninja meson mlir td g4 dts dtsi "
        "ld robot bats "
        # Data, configuration and prose
        "json jsonc json5 jsonl ndjson geojson toml yaml yml ini cfg conf cnf properties env lock "
        "csv tsv txt log md mdx markdown rst adoc asciidoc org tex bib sty typ po pot patch diff "
    ).split()
)
"""Lower case, without the dot. Of one-letter extensions only `c` and `h`: others are initials and list marks."""

PRODUCT_NAMES: frozenset[str] = frozenset(
    "node.js next.js nuxt.js vue.js react.js three.js d3.js express.js chart.js llama.cpp whisper.cpp".split()
)
"""Names of products that look like files; `node.js:20` is a version, not a line."""

CALL_LIKE: frozenset[str] = frozenset("log lock env diff patch comp frag vert tmpl properties".split())
"""Extensions that are also method names: `console.log(42)` is a call, so a citation that does not say
`name:N` needs a folder in front there."""

MANUAL_LIKE: frozenset[str] = frozenset({"conf"})
"""Extensions of pages of the manual: `sshd.conf(5)` is its section 5, so `p(N)` needs a folder in front there."""
