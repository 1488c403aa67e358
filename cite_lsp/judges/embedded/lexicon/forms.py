"""How words are bent: irregular forms, words that only look bent, base words, British spelling."""

IRREGULAR = (
    # verbs: the base form first
    "arise arose arisen",
    "awake awoke awoken",
    "be am is are was were been being",
    "bear bore borne",
    "beat beaten",
    "become became",
    "begin began begun",
    "bend bent",
    "bleed bled",
    "blow blew blown",
    "break broke broken",
    "breed bred",
    "bring brought",
    "build built",
    "burn burnt",
    "buy bought",
    "catch caught",
    "choose chose chosen",
    "cling clung",
    "come came",
    "creep crept",
    "deal dealt",
    "dig dug",
    "do does did done",
    "draw drew drawn",
    "drink drank drunk",
    "drive drove driven",
    "eat ate eaten",
    "fall fell fallen",
    "feed fed",
    "feel felt",
    "fight fought",
    "find found",
    "flee fled",
    "fly flew flown",
    "forbid forbade forbidden",
    "foresee foresaw foreseen",
    "forget forgot forgotten",
    "freeze froze frozen",
    "get got gotten",
    "give gave given",
    "go goes went gone",
    "grow grew grown",
    "hang hung",
    "have has had",
    "hear heard",
    "hide hid hidden",
    "hold held",
    "keep kept",
    "know knew known",
    "lay laid",
    "lead led",
    "learn learnt",
    "lend lent",
    "lie lying lain",
    "die dying",
    "tie tying",
    "untie untying",
    "lose lost",
    "make made",
    "mean meant",
    "meet met",
    "mislead misled",
    "mistake mistook mistaken",
    "outgrow outgrew outgrown",
    "overcome overcame",
    "overdo overdid overdone",
    "override overrode overridden",
    "overrun overran",
    "overtake overtook overtaken",
    "overwrite overwrote overwritten",
    "pay paid",
    "prove proven",
    "rebuild rebuilt",
    "redo redid redone",
    "resend resent",
    "rerun reran",
    "rewrite rewrote rewritten",
    "rewind rewound",
    "ride rode ridden",
    "ring rang rung",
    "rise rose risen",
    "run ran",
    "say said",
    "see saw seen",
    "seek sought",
    "sell sold",
    "send sent",
    "shake shook shaken",
    "shine shone",
    "shoot shot",
    "show shown",
    "shrink shrank shrunk shrunken",
    "sing sang sung",
    "sink sank sunk",
    "sit sat",
    "sleep slept",
    "slide slid",
    "speak spoke spoken",
    "speed sped",
    "spell spelt",
    "spend spent",
    "spin spun",
    "spring sprang sprung",
    "stand stood",
    "steal stole stolen",
    "stick stuck",
    "strike struck stricken",
    "string strung",
    "swap swopped",
    "swear swore sworn",
    "sweep swept",
    "swell swollen",
    "swing swung",
    "take took taken",
    "teach taught",
    "tear tore torn",
    "tell told",
    "think thought",
    "throw threw thrown",
    "understand understood",
    "undo undoes undid undone",
    "unfreeze unfroze unfrozen",
    "unwind unwound",
    "uphold upheld",
    "wake woke woken",
    "wear wore worn",
    "weave wove woven",
    "win won",
    "withdraw withdrew withdrawn",
    "withhold withheld",
    "withstand withstood",
    "write wrote written",
    "quit quits",
    "zip zipped zipping",
    "sync synced syncing synched synching synchs",
    "exec execed execing",
    "mimic mimicked mimicking",
    "panic panicked panicking",
    "traffic trafficked trafficking",
    "quiz quizzes quizzed",
    "use used using uses",
    "reuse reused reusing reuses",
    "age aging ageing",
    "queue queueing queuing",
    # nouns
    "analysis analyses",
    "appendix appendices",
    "axis axes",
    "child children",
    "grandchild grandchildren",
    "crisis crises",
    "criterion criteria",
    "foot feet",
    "half halves",
    "hypothesis hypotheses",
    "index indices indexes",
    "leaf leafs",
    "life",
    "man men",
    "matrix matrices",
    "mouse mice",
    "parenthesis parentheses",
    "person people",
    "phenomenon phenomena",
    "quantum quanta",
    "radius radii",
    "schema schemata schemas",
    "self selves",
    "shelf shelves",
    "suffix suffices",
    "synopsis synopses",
    "synthesis syntheses",
    "thesis theses",
    "tooth teeth",
    "vertex vertices",
    "woman women",
    "id ids",
    "db dbs",
    "vm vms",
    "pr prs",
    # comparison, where the base form says the same
    "can could",
    "will would",
    "shall should",
    "may might",
)
"""Base form first, then what it becomes."""

BRITISH = """
    analyse:analyze paralyse:paralyze catalyse:catalyze behaviour:behavior colour:color favour:favor favourite:favorite
    honour:honor neighbour:neighbor labour:labor flavour:flavor rumour:rumor humour:humor harbour:harbor
    armour:armor endeavour:endeavor vapour:vapor savour:savor parlour:parlor centre:center metre:meter litre:liter
    fibre:fiber theatre:theater calibre:caliber kilometre:kilometer millimetre:millimeter licence:license
    defence:defense offence:offense pretence:pretense practise:practice catalogue:catalog dialogue:dialog
    analogue:analog prologue:prolog cheque:check programme:program grey:gray artefact:artifact judgement:judgment
    acknowledgement:acknowledgment cancelation:cancellation fulfil:fulfill enrol:enroll instalment:installment
    skilful:skillful wilful:willful tyre:tire plough:plow mould:mold draught:draft sceptical:skeptical
    aluminium:aluminum whilst:while amongst:among learnt:learn afterwards:afterward towards:toward
    backwards:backward forwards:forward upwards:upward downwards:downward disc:disk tonne:ton despatch:dispatch
    synchronisation:synchronization speciality:specialty cosy:cozy storey:story likeable:likable saleable:salable
    sizeable:sizable moveable:movable useable:usable queueable:queuable typeable:typable adaptor:adapter
    canceled:cancel canceling:cancel labeled:label labeling:label modeled:model modeling:model signaled:signal
    signaling:signal traveled:travel traveling:travel tunneled:tunnel tunneling:tunnel marshaled:marshal
    marshaling:marshal leveled:level totaled:total channeled:channel""".split()
"""British spelling, a colon, American spelling: lemmas are American."""

ALIKE = (
    # end in -s and are no plural
    """access across address aegis afterwards alias always analysis apparatus as atlas axis basis besides bias
    biceps bonus bus business bypass cactus campus canvas carcass census chaos chassis chess circus class
    clueless compass compress congress consensus corpus crisis cross css data debris diagnosis digress discuss
    dismiss distress dns dress duress egress emphasis encompass endless ephemeris excess express focus gas
    genesis genus glass grass gross guess harness haskell headless headquarters hiatus https hypothesis impress
    ingress ios iris is its js kubernetes kudos lapis lens less lossless loss macos mass mattress mess minus
    miss modulus modus nemesis news nexus nucleus oasis obsess ones os ours overpass pandas paralysis
    parenthesis pass pegasus perhaps physics plus possess postgres press previous princess process progress
    prospectus prowess publicus radius recess redis regardless repress reprocess rhombus robots sass schemaless
    serverless series sis sms species ssl stainless starless stateless status stimulus stress success suppress
    surplus syllabus synopsis synthesis sys terminus theirs thesis this thus tls toss trespass ts unless unpass
    us versus virus vs whereas windows winless wireless witness worthless yes yours helpless lawless useless
    nonetheless nevertheless timeless seamless passwordless connectionless lockless classless contextless
    pathless branchless harmless meaningless pointless needless careless effortless anonymous asynchronous
    synchronous ambiguous unambiguous autonomous bogus contiguous continuous dangerous enormous erroneous
    extraneous generous heterogeneous homogeneous instantaneous malicious miscellaneous monotonous mysterious
    nervous nonsense numerous obvious ominous poisonous precious prosperous ridiculous rigorous serious
    simultaneous spontaneous spurious superfluous suspicious tedious tremendous unanimous various vicious
    vigorous mathematics statistics metrics semantics heuristics diagnostics graphics analytics kinematics
    ethics politics cors tcs posix kms aws gcs ecs eks vpcs nfs zfs ntfs btrfs ffs dos ddos sas gps rss ids cms
    iops fps dps qps rps tps bps mbps kbps gbps jsp asp ops devops gitops mlops finops towards amidst hers his
    has was dais ibis pus sos xss csrf ss vfs rfs sysfs procfs tmpfs nodejs nextjs vuejs esm cjs mjs umass
    cutlass""",
    # end in -ing and are no verb, or nouns of their own
    """anything bearing being ceiling clothing during evening everything fling heading icing king listing mapping
    meaning morning nothing offspring opening ping rating ring rising saying setting sibling sing sling
    something spelling spring sterling sting string substring swing thing timing viking warning wing wording
    encoding casing landing engineering beginning docstring ending binding notwithstanding outstanding pending
    interesting padding spacing nesting bing boring ming ding wiring standing lightning understanding
    misunderstanding missing leading trailing remaining ascending descending ongoing incoming outgoing upcoming
    surrounding following preceding underlying corresponding sliding blocking nonblocking pricing
    billing branding""",
    # end in -ed and are no past
    """aged bed bleed breed exceed feed greed hundred indeed infrared kindred need newlywed proceed red
    reed sacred seed shed shred sled speed steed succeed ted unneeded weed wed wicked naked seabed embed biped
    moped rugged ragged jagged unaided watershed underfed overfeed overspeed signed unsigned fixed mixed
    unlimited supposed related unrelated unused unset untouched unchanged unbounded bounded unmodified undefined
    unspecified unsupported unexpected unordered unsorted unnamed unauthorized unauthenticated unrestricted
    unencrypted unescaped uncompressed uncached untrusted unpinned uninitialized unresolved unhandled
    uncaught unmatched untyped undocumented unlisted unverified unvalidated unparsed unfinished unreleased
    untested unread unsaved unchecked unmounted uncommitted unterminated malformed required dedicated outdated
    decoding staging hardwired backwards bitwise multiprocessing writeonly directly beforehand advanced
    overwhelmed uncapped according concerned""",
    # end in -ly and are no adverb of an adjective
    """ally anomaly apply assembly belly bully butterfly comply daily disassembly early family finally firefly fly
    friendly fully hourly imply italy jelly july likely lonely lovely misapply monthly monopoly multiply namely
    nearly nightly only poly quarterly rally readonly really rely reply resupply silly supply tally tidally ugly
    unfriendly unlikely weekly yearly anonymously barely hardly scarcely lately shortly mostly merely simply
    biweekly costly elderly holy orderly reassembly reapply subfamily usually hopefully practically essentially
    basically possibly probably presumably apparently obviously actually currently previously formerly
    originally initially eventually subsequently consequently accordingly respectively slightly roughly
    approximately exactly strictly solely exclusively inclusively firstly secondly lastly clearly closely mainly
    highly largely freely
    fairly especially additionally generally normally commonly typically effectively literally purely partly surely
    briefly equally newly readily evenly openly badly easily sometimes themselves ourselves yourselves trans keyring
    similarly naturally naively nicely neatly internally externally technically conceptually specifically
    particularly notably importantly conveniently gracefully primarily widely seriously severely greatly heavily
    consistently necessarily deliberately intentionally carefully ultimately overly seemingly arguably presently
    nowadays folks scenes wholly exhaustively interestingly surprisingly unfortunately fortunately ideally strongly
    weakly tightly loosely""",
)
"""Words that stand as they are, though they end as if they were bent, or that are words of their own."""

BASE = (
    # end in -e, where the bare stem would not show it
    """able accede ache acre adobe advise alike alone amaze ample ancestor apache appraise argue aside atone awake
    babe bake base baseline bathe blame blaze bore bounce brace brake breathe bribe bridge bruise bundle cache
    cage cake calculate cancel cascade case cause cease centre chase chose cite clause cleanse clone close
    clothe coalesce code coerce collapse combine commence complete compile compose concrete confuse console
    cookie cope copyable course crate create cripple crude cube cure curse cute dance date deduce defense defuse
    degree delete dense deplete deprive describe diagnose die dispense disperse dispose disclose discrete dive
    dose doze drone duke edge elapse elevate elide emulate enclose encode engage ensue erase erode expense
    expose facade face fade false familiarize favorite fire flake flare fore fragile fringe fuse gauge gaze
    glance glide globe glue gone gore grace grade grape grate graze grease grime gripe groove grope guide guise
    halve handle hare haste haze hinge home hone hope horse hose house hue hype ignite image impede impose
    improve incomplete increase indicate induce infuse intense inverse invite involve ire issue jade joke judge
    keynote knife lace lame lane lapse large lathe lease leave ledge lens lessen line live loose lure mate maze
    merge mere mime mine minute mire mobile mode module mope mouse move mute name nerve newline noise nonce nose
    note notice nurse obsolete oblige offline online ooze oppose outline overdue overuse page parse pare paste
    pause pave pee persuade phase phone phrase pile pine pipe place plane plate please pledge plume poke pole
    pope pose postpone precede preface prelude premise presume price pride prime probe profile promise promote
    prone propose prose prune pulse purchase purge purpose pursue quake queue quite quote race rage raise range
    rate rave raze reap rebase rebate recede recharge recipe reclose recompile recompute recreate redefine
    rehearse release relate relocate remote remove rename repose reproduce rescale rescue residue resume retrace
    retrieve retype reuse reverse revise revoke rhyme ripe rise robe rogue role rope rose rotate rouge route
    rude ruse sample sane save scale scarce scare scene scheme score scribe sense sequence serve severe shade
    shame shape share shave shine shore shove shrine siege sieve single site size skate slate slave slice slope
    smoke snake sole solve some space spare spike splice spoke spouse sprite squeeze stake stale stare state
    stoke stone store stove strafe stripe stroke style subscribe suite supervise suppose surface surge surmise
    surprise swipe table tackle take tame tape taste tease tense terse theme thrive throne tide tile time tire
    toe tone tongue torque toggle trace trade transpose traverse treasure tree tribe triple trouble true tube
    tune twice twine type unable unfreeze unique unite unquote update upgrade use utile vague value vane vase
    vine voice vote vogue wage wake wane waste wave weave wedge welcome while whole wide wine wipe wire wise
    wrestle write yoke zone authenticate obviate abate iterate enumerate interpolate cycle recycle circle angle
    bottle title subtitle agree disagree free guarantee see foresee oversee flee decree referee absentee
    committee employee trustee untie lie tie belie vie hoe shoe canoe tiptoe dye eye bye axe annotate rewrite
    overwrite underwrite typewrite exercise advertise compromise disguise televise improvise comprise enterprise
    otherwise likewise expertise precise concise devise excise franchise incise merchandise paradise demise
    movie selfie zombie genie calorie prairie rookie sortie collie pixie drive derive arrive survive revive
    acquire admire aspire conspire desire empire enquire entire expire hire inquire inspire retire require
    rewire backtrace compute impute dispute execute reroute commute permute refute constitute substitute
    institute contribute attribute distribute redistribute prosecute salute absolute resolute parachute compete
    athlete devote denote misquote footnote anecdote excite recite website despite elite finite infinite
    definite opposite composite requisite prerequisite sqlite expedite throttle shuttle settle subtle battle
    cattle kettle little rattle aggregate propagate delegate navigate negate mitigate allocate deallocate
    preallocate upscale downscale whale pale tale sale female male parole hole file mile smile reconcile agile
    hostile handshake mistake intake shake tolerate moderate federate rely alphabetical identical typical
    topical lexical numerical historical critical vertical physical logical categorical hierarchical canonical
    canonicalize mechanical theoretical optical technical practical radical musical medical political classical""",
    # double consonants of their own, and -l, -s, -f, -z
    """add egg err odd ebb inn purr all ball bell bill boil brawl call cell chill coil crawl cull doll drill dull
    dwell fall fell fill foil fulfill full gill grill hall hill hull ill install uninstall reinstall kill mall
    mill null overfill pill poll pull quell recall refill roll scroll sell shall shell skill small smell spell
    spill stall still swell tall tell thrill till toll unroll wall well will yell backfill polyfill autofill
    enroll assess bless boss cuss fuss hiss kiss moss piss profess progress regress transgress confess caress
    amass bluff buff cliff cuff diff huff off puff scoff sniff snuff staff stiff stuff buzz fizz fuzz jazz
    repass passthrough surpass""",
    # end in a single consonant, where -e would be put by rule
    """admin alarm anchor author avoid await bargain begin benefit bias blur bottom broker calendar cancel canvas
    chain channel claim climb cloud color column combat comb command commit common compel consent contain
    control cotton counsel cover credit crop cut debug decrypt deliver develop differ domain doom edit editor
    elicit emit encounter engineer envelop equal error exhaust exhibit exit explain factor favor filter float
    focus format reformat gain govern group habit hamper harbor honor impair inhabit inherit inhibit initial
    input install join label layout lead level limit listen load log maintain marshal metal mirror model monitor
    neighbor net obtain occur open output overlap pardon parent pattern permit persist pilot pivot plugin pool
    prefix preset profit program prohibit protocol question quit reason rebel recruit refactor regain remain
    repair repeat report reset restrain retain return reveal reward rival rotor sanction scan scram scroll
    sector sensor signal skeleton solicit spiral split spoil stream subtotal sustain symbol tailor target tenant
    thread timeout token total train transit travel trial trim tumor tunnel typeset unit unmarshal upload
    download reload preload offload upset vector vendor visit void wait weekend bait draft drain strain sprain
    plain faint paint point print reprint hint mint affirm confirm inform perform transform conform platform
    reform warm swarm storm sync exec async spec rec alloc malloc realloc calloc admit transmit retransmit
    submit resubmit omit remit vomit concur recur incur infer refer defer confer prefer transfer deter allot
    plot slot spot shot rot trot knot jot blot dot abort backport support export import reexport port transport
    sort resort pop stop drop top hop shop chop flop loop stoop troop scoop snoop backup setup cleanup teardown
    startup shutdown lookup rollup popup signup mockup markup hook look book cook unhook cookbook webhook
    notebook payload overload workload unload autoload clear near hear fear gear tear wear year appear disappear
    heat seat beat treat cheat threat defeat retreat boot reboot root foot toot shoot out about checkout
    printout rollout stdout put throughput reput equip ship skip strip trip flip clip chip snip tip dip rip map
    wrap unwrap snap trap cap tap gap lap zap swap remap bootstrap chat pat flat that what plug unplug bug hug
    flag tag lag drag bag snag blog catalog dialog analog backlog belong along prolong bang hang gang slang
    boomerang plan ban can fan pan span tan pin spin win thin twin bin unpin run outrun rerun gun sun stun set
    unset offset subset bid forbid outbid grid rebut shut undershoot""",
    # ordinary ones, so that a bent form finds its base and no other
    """accept act adapt adjust adopt affect aim align allow alter amend anchor announce answer append apply
    approach arrive ask assign attach attack attempt attend balance bar bind bless block boost borrow bound box
    branch broadcast browse buffer burst button bypass cast catch change charge check choke clamp clash classify
    clean click clip coach collect commit compare compile compress conclude conduct configure conflict connect
    consider consist construct consult consume contact contend contest convert convey copy correct corrupt count
    crash cross dash deal decay decide declare decline decode decorate decrease dedupe default defend define
    demand depend deploy deprecate deserialize design destroy detach detect determine die dig direct disable
    discard discover display dispatch divide dock document double drain draw drop dump duplicate earn echo elect
    emerge employ empty enable encrypt end enforce enqueue dequeue ensure enter envy establish escape evaluate
    evict evolve examine exclude exhaust expand expect explore extend extract fail fake fall fasten fetch figure
    fill find finish fire fit fix flatten flip flood flow flush fold follow force fork forward fulfil gather
    generate glob grant grasp group grow guard guess halt hand harden hash help hide highlight hint hit hold
    hoist host hunt identify ignore include increment decrement index indent inject inline insert inspect
    instruct integrate intend intercept interpret interrupt introduce invalidate invoke isolate jump keep key
    kick know lack last launch lay lead leak lend lengthen lift link list listen load locate lock look lower
    manage mangle mark mask match matter mean measure mention minify mix mock mount multiply need negotiate nest
    normalize notify number obey observe occupy offer open operate optimize order organize overflow own pack
    package pad park partition pass patch perform pick ping plan plant play point polish polyfill populate post
    predict prefer prefix prepare prepend present preserve press prevent print process prohibit project protect
    provide provision proxy publish push put query quantify quiet rank reach react read rebuild receive recheck
    reclaim recognize recommend record recover redirect reduce refer refetch reflect refresh refuse register
    reject relay relax remain remark remember remind render repeat replace reply represent request rescan
    reserve reset reside resist resolve respect respond rest restart restore restrict result resize retain
    retract retry return review revert rewind rig round ruin rule run sanitize scan schedule search seal secure
    seek seem select send separate serialize set shift shorten shout show shrink shuffle shut sign simplify
    simulate skip sleep slide slow smooth sort specify split spawn spread squash stack stage stand star start
    station stay steer step stick stop stream strengthen stretch strip struggle stub study submit subtract
    succeed suffix suggest suit supply support suspect suspend swallow sweep switch tag take talk tamper target
    teach tear tell tend terminate test think tick tidy tighten touch toss track translate trap treat trigger
    truncate trust try turn tweak unblock underline underscore undo unify unlink unlock unpack unregister unzip
    upload validate vary verify view violate visit wait walk want warn wash watch weaken weigh widen wish wonder
    word work worry wrap yield zero reindex reparse reopen rejoin remap repack replay repoint requeue respawn
    rewrap unwrap autocomplete autodetect autoload backport benchmark blacklist whitelist blocklist allowlist
    bookmark checkpoint cherry debounce deduplicate delimit denylist hardcode lint memoize misconfigure
    multiplex paginate preprocess postprocess prefetch reconnect reconfigure regenerate rename reschedule
    reinitialize stringify symlink throttle timestamp tokenize transpile unmount unsubscribe vendor version zip
    intervene convene thread unthread embed unembed seed feed speed""",
)
"""Base words: what is left of a bent word is looked for here before the rules of endings are asked."""
