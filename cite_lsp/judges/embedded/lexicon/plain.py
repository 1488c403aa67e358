"""Words that carry nothing that a line of code could show, and words that only join others."""

GLUE = """a an the this that these those it its they them their theirs he him his she her hers we us our ours you your
yours i me my who whom whose which what whatever whichever and or nor but so yet as at by for from in into of on onto
to with within upon via per about among between through throughout toward during than then there here be do have will
would shall should can could may might must ought s t d ll re ve m how where why whether while whereas because since
if though although however therefore thus hence too very rather quite such some e g etc vs aka
isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't won't wouldn't shouldn't couldn't cannot can't"""
"""Articles, pronouns, auxiliaries and most prepositions. Words of polarity, quantity and order are none: "not", "off",
"before", "only"; a contraction joins like its auxiliary, and that it denies is the reader's to see."""

SOFT = (
    # manner and stress
    """simply just merely basically essentially effectively actually really indeed also even still already likewise
    similarly accordingly consequently thereby moreover furthermore additionally namely especially particularly notably
    importantly typically usually normally generally commonly sometimes mostly mainly largely primarily clearly
    obviously naturally easily conveniently gracefully properly appropriately suitably respectively overall
    together instead otherwise itself themselves himself herself oneself simple easy convenient proper appropriate
    suitable relevant useful helpful handy nice good neat clever smart careful notable important interesting typical
    usual general particular specific certain various actual respective corresponding respectively concerned
    underlying ordinary plain currently nowadays merely fairly somewhat roughly perhaps maybe possibly presumably
    apparently seemingly arguably literally technically conceptually internally behind scenes well better best
    nicely neatly carefully cleverly smartly deliberately intentionally purposely specifically
    ultimately eventually meanwhile nevertheless nonetheless anyway regardless
    worth able capable responsible happy friendly robust reliable flexible elegant""",
    # what any code has
    """code function class module line helper utility routine procedure snippet statement implementation logic
    behavior feature functionality facility mechanism machinery thing stuff item element piece part portion section
    bit entity instance variable value field member parameter argument project library framework program application
    app tool software system codebase component layer place spot point site case situation circumstance scenario
    occasion purpose goal aim reason sake fact detail information matter aspect side regard term sense manner
    fashion way means approach technique strategy scheme kind nature role work phase effect consequence
    stuff gist idea concept notion principle rule intention intent need use usage benefit advantage developer author
    maintainer reader everyone somebody someone anyone folks team engineer programmer convention practice
    habit topic subject question story example instance note remark comment documentation world life reality""",
    # saying and being
    """say state mention describe explain define declare document name mean denote represent express indicate specify
    refer demonstrate illustrate appear seem look sit reside stand lie belong concern involve relate regard
    consist comprise constitute hold use utilize employ apply make perform act serve function operate behave handle
    deal manage take occur happen come go get become put provide supply offer give implement support guarantee help
    want need intend consider treat know see aim tend manage happen suffice rely matter strive wish
    like think feel believe assume suppose imagine note notice realize understand learn recognize
    emphasize embody own feature boast enjoy""",
    # amounts of nothing
    """amount quantity lot plenty bunch handful much overall degree extent bit""",
    # places and times of nothing
    """moment area scope away along around aside together forth hereby herein therein
    thereof whereby wherein elsewhere meantime nowadays today""",
)
"""By lemma or as they stand; what is soft in one claim may be asked for by name in another."""
