"""What has a name in prose and a number, a constant or an ending in code; names of several words hold a space."""

from collections.abc import Iterator

# Status codes of HTTP, as people call them.
_STATUS = (
    ("continue", "100"),
    ("switching protocols", "101"),
    ("early hints", "103"),
    ("ok,success,successful", "200"),
    ("created", "201"),
    ("accepted", "202"),
    ("no content", "204"),
    ("reset content", "205"),
    ("partial content", "206"),
    ("multi status", "207"),
    ("multiple choices", "300"),
    ("moved permanently,permanent redirect,permanent", "301 308"),
    ("temporary redirect,temporary", "302 307"),
    ("see other", "303"),
    ("not modified,unmodified", "304"),
    ("redirect,redirection", "301 302 303 307 308"),
    ("bad request", "400"),
    ("unauthorized,unauthenticated,not authenticated", "401"),
    ("payment required", "402"),
    ("forbidden", "403"),
    ("not found", "404"),
    ("method not allowed", "405"),
    ("not acceptable", "406"),
    ("proxy authentication", "407"),
    ("request timeout", "408"),
    ("conflict", "409"),
    ("gone", "410"),
    ("length required", "411"),
    ("precondition failed,precondition", "412"),
    ("payload too large,content too large,entity too large,too large", "413"),
    ("uri too long", "414"),
    ("unsupported media type", "415"),
    ("range not satisfiable", "416"),
    ("expectation failed", "417"),
    ("teapot", "418"),
    ("misdirected request", "421"),
    ("unprocessable,unprocessable entity,unprocessable content", "422"),
    ("locked", "423"),
    ("failed dependency", "424"),
    ("too early", "425"),
    ("upgrade required", "426"),
    ("precondition required", "428"),
    ("too many requests,rate limit,throttle", "429"),
    ("header fields too large", "431"),
    ("legal reasons", "451"),
    ("internal server error,server error", "500"),
    ("not implemented", "501"),
    ("bad gateway", "502"),
    ("service unavailable,unavailable", "503"),
    ("gateway timeout", "504"),
    ("version not supported", "505"),
    ("insufficient storage", "507"),
    ("loop detected", "508"),
    ("network authentication required", "511"),
    ("client error", "4xx 400 499"),
    ("server error", "5xx 500 599"),
)

_PORTS = (
    ("ftp", "21"),
    ("ssh,sftp", "22"),
    ("telnet", "23"),
    ("smtp", "25 465 587"),
    ("dns", "53"),
    ("dhcp", "67 68"),
    ("http", "80 8080"),
    ("kerberos", "88"),
    ("ntp", "123"),
    ("imap", "143 993"),
    ("snmp", "161"),
    ("ldap", "389 636"),
    ("https", "443 8443"),
    ("smb", "445"),
    ("syslog", "514"),
    ("mqtt", "1883 8883"),
    ("docker", "2375 2376"),
    ("zookeeper", "2181"),
    ("etcd", "2379"),
    ("mysql,mariadb", "3306"),
    ("rdp", "3389"),
    ("postgres,postgresql", "5432"),
    ("amqp,rabbitmq", "5672"),
    ("vnc", "5900"),
    ("redis", "6379"),
    ("kubernetes", "6443"),
    ("cassandra", "9042"),
    ("prometheus", "9090"),
    ("kafka", "9092"),
    ("elasticsearch", "9200"),
    ("memcached", "11211"),
    ("mongo,mongodb", "27017"),
)

_EXITS = (
    ("usage error", "2 64 EX_USAGE"),
    ("not executable", "126"),
    ("command not found", "127"),
    ("out of memory", "137 ENOMEM"),
    ("segmentation fault,segfault", "139 SIGSEGV"),
    ("interrupt,interrupted", "130 SIGINT KeyboardInterrupt"),
    ("terminate,termination", "143 SIGTERM"),
    ("kill", "SIGKILL"),
    ("hangup,hang up", "SIGHUP"),
    ("quit", "SIGQUIT"),
    ("broken pipe", "SIGPIPE EPIPE BrokenPipeError BrokenPipe"),
    ("alarm", "SIGALRM"),
    ("suspend", "SIGTSTP SIGSTOP"),
    ("resume", "SIGCONT"),
    ("permission denied", "EACCES EPERM PermissionError PermissionDenied"),
    ("no such file", "ENOENT FileNotFoundError NotFound"),
    ("already exists", "EEXIST FileExistsError AlreadyExists"),
    ("is a directory", "EISDIR IsADirectoryError"),
    ("address in use", "EADDRINUSE AddrInUse"),
    ("connection refused", "ECONNREFUSED ConnectionRefusedError ConnectionRefused"),
    ("connection reset", "ECONNRESET ConnectionResetError ConnectionReset"),
    ("timed out,timeout", "ETIMEDOUT TimeoutError TimedOut"),
    ("would block", "EAGAIN EWOULDBLOCK BlockingIOError WouldBlock"),
    ("invalid argument", "EINVAL ValueError IllegalArgumentException InvalidInput ArgumentError"),
    ("disk full,no space", "ENOSPC"),
    ("division by zero,divide by zero", "ZeroDivisionError ArithmeticException SIGFPE"),
)

_SIZES = (
    ("kilobyte,kibibyte", "1024 1000 1_000 1e3"),
    ("megabyte,mebibyte", "1048576 1_048_576 1000000 1_000_000 1e6"),
    ("gigabyte,gibibyte", "1073741824 1_073_741_824 1000000000 1_000_000_000 1e9"),
    ("thousand", "1000 1_000 1e3"),
    ("million", "1000000 1_000_000 1e6"),
    ("billion", "1000000000 1_000_000_000 1e9"),
    ("minute", "60 60_000 60000"),
    ("hour", "3600 3_600 3600000 3_600_000"),
    ("day", "86400 86_400 86400000 86_400_000 24"),
    ("week", "604800 604_800 604800000 604_800_000 7"),
    ("month", "30 31 2592000 2_592_000"),
    ("year", "365 31536000 31_536_000 31557600"),
    ("dozen", "12"),
    ("half", "0.5 .5 50"),
    ("quarter", "0.25 .25 25"),
)

_MODES = (
    ("owner only,private", "0600 0o600 0700 0o700 600 700"),
    ("executable", "0755 0o755 0700 0o700 755 X_OK"),
    ("world readable,readable", "0644 0o644 0444 0o444 644 R_OK"),
    ("world writable", "0777 0o777 0666 0o666 777"),
    ("writable", "W_OK"),
    ("sticky", "01777 0o1777"),
)

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_METHODS = "get post put patch delete head options".split()

# Endings of files, and of media types, by what people call the format.
_ENDINGS = (
    ("python", r"\.pyi?\b"),
    ("javascript", r"\.[cm]?jsx?\b"),
    ("typescript", r"\.[cm]?tsx?\b"),
    ("rust", r"\.rs\b"),
    ("golang", r"\.go\b"),
    ("java", r"\.java\b"),
    ("kotlin", r"\.kts?\b"),
    ("ruby", r"\.rb\b"),
    ("php", r"\.php\b"),
    ("swift", r"\.swift\b"),
    ("csharp", r"\.cs\b"),
    ("cpp", r"\.(?:cc|cpp|cxx|hpp|hh)\b"),
    ("shell,bash", r"\.(?:sh|bash|zsh)\b|#!.*sh\b"),
    ("powershell", r"\.psm?1\b"),
    ("yaml", r"\.ya?ml\b"),
    ("json", r"\.json[lc5]?\b|application/json"),
    ("toml", r"\.toml\b"),
    ("xml", r"\.xml\b|(?:text|application)/xml"),
    ("html", r"\.html?\b|text/html"),
    ("css,stylesheet", r"\.(?:css|scss|sass|less)\b|text/css"),
    ("csv", r"\.csv\b|text/csv"),
    ("markdown", r"\.(?:md|mdx|markdown)\b"),
    ("text,plain", r"\.txt\b|text/plain"),
    ("pdf", r"\.pdf\b"),
    ("sql,database", r"\.(?:sql|sqlite3?|db)\b"),
    ("image,picture", r"\.(?:png|jpe?g|gif|svg|webp|ico|bmp)\b|image/"),
    ("video", r"\.(?:mp4|webm|mov|mkv|avi)\b|video/"),
    ("audio", r"\.(?:mp3|wav|ogg|flac)\b|audio/"),
    ("font", r"\.(?:woff2?|ttf|otf)\b"),
    ("archive,compress", r"\.(?:zip|tar|t?gz|tgz|bz2|xz|zst|7z|rar)\b"),
    ("wheel", r"\.whl\b|bdist_wheel"),
    ("sdist", r"\.tar\.gz\b"),
    ("lockfile", r"\.lock\b|-lock\.(?:json|yaml)\b|\bgo\.sum\b"),
    ("log", r"\.log\b"),
    ("backup", r"\.(?:bak|orig|old)\b"),
    ("temporary", r"\.(?:tmp|temp|swp)\b|/tmp\b"),
    ("environment", r"\.env\b"),
    ("ini", r"\.(?:ini|cfg|conf)\b"),
    ("certificate", r"\.(?:pem|crt|cer|der|p12|pfx)\b"),
    ("notebook", r"\.ipynb\b"),
    ("dockerfile", r"\bDockerfile\b|^\s*FROM\s"),
    ("form", r"x-www-form-urlencoded|multipart/form-data"),
    ("binary", r"application/octet-stream"),
    ("dotfile,hide", r"startswith\([\"']\.|[\"']\.[a-z]"),
)


def numbers() -> Iterator[tuple[str, str]]:
    """Give names, with commas between, and the expression that finds what stands for them in a line."""
    for names, codes in (*_STATUS, *_PORTS, *_EXITS, *_SIZES, *_MODES):
        yield names, _alone(codes)
    for place, month in enumerate(_MONTHS, 1):
        yield month, rf"(?i:month)\D{{0,12}}0?{place}(?!\d)|(?i:\b{month[:3]}(?:{month[3:]})?\b)"
    for day in _DAYS:
        yield day, rf"(?i:\b{day[:3]}(?:{day[3:]})?\b)"
    for method in _METHODS:
        yield method, rf"\b{method.upper()}\b|\.{method}\("
    yield from _ENDINGS


def _alone(codes: str) -> str:
    """Give the expression that finds one of some numbers or names standing alone."""
    spelled = "|".join(code.replace(".", r"\.") for code in codes.split())
    return rf"(?<!\w)(?<!\d\.)(?:{spelled})(?!\w|\.\w)"
