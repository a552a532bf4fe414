"""Objects of the pure rooms refer to no clock, random device, thread, environment, file or socket."""

import re
import subprocess

from repo import is_test

BANNED = {
    "clock": r"clock|time|clock_gettime|gettimeofday|timespec_get|nanosleep|usleep|sleep|mktime|strftime"
             r"|(local|gm)time(_r)?|std::chrono::.*_clock::now\(\)",
    "random": r"s?rand|rand_r|s?random|[dejlmn]rand48|getrandom|getentropy|arc4random.*|std::random_device.*",
    "thread": r"pthread_.*|sem_.*|thrd_.*|std::(thread|jthread|condition_variable|this_thread|mutex)\b.*"
              r"|std::__atomic_wait.*|fork|clone",
    "environment": r"(secure_)?getenv|setenv|putenv|unsetenv|environ|gethostname|getpid|sysconf",
    "file or terminal": r"f?open(at)?(64)?|freopen|p?read(64)?|p?write(64)?|f(read|write|printf|puts|putc|gets|lush)"
                        r"|printf|puts|putchar|putc|vf?printf|unlink|rename|mkdir|opendir|stat|fstat|mmap"
                        r"|stdin|stdout|stderr|std::(cin|cout|cerr|clog|filesystem\b.*)"
                        r"|std::basic_(i|o)?(fstream|filebuf).*|fmt::.*::print\(.*|fmt::.*::vprint.*",
    "socket": r"socket|connect|bind|listen|accept4?|send(to|msg)?|recv(from|msg)?|getaddrinfo|e?poll(_.*)?|select",
    "log": r"spdlog::.*",
}
_BANNED = {kind: re.compile(rf"(?:{names})(?:\[abi:\w+\])*(?:@.*)?") for kind, names in BANNED.items()}

# source -> symbols it may use all the same, with the reason beside it.
ALLOWED = {
    # The last words of a program whose invariant broke.
    "src/base/check.cc": {"fprintf", "fwrite", "fputc", "fputs", "stderr"},
}


def check(repo):
    rooms = repo.rooms()
    errors, objects = [], 0
    for source, (_, target) in sorted(repo.compile_commands().items()):
        if not source.is_relative_to(repo.root):
            continue
        room = repo.room_of(source)
        if room not in rooms or not rooms[room].pure or is_test(source):
            continue
        if not target.exists():
            errors.append(f"{repo.name(source)}: has no object yet; build first")
            continue
        objects += 1
        errors += _impure(repo.name(source), target)
    return errors, f"{objects} objects of {', '.join(r.name for r in rooms.values() if r.pure)}"


def _impure(source, target):
    listing = subprocess.run(["nm", "--undefined-only", "--demangle", str(target)], check=True,
                             capture_output=True, text=True).stdout
    errors = []
    for line in listing.splitlines():
        symbol = line.strip().partition(" ")[2]
        if symbol in ALLOWED.get(source, ()):
            continue
        for kind, pattern in _BANNED.items():
            if pattern.fullmatch(symbol):
                errors.append(f"{source}: uses {symbol} ({kind}); pure rooms get it as an argument")
    return errors
