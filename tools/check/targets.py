"""Every source belongs to a target: what no CMakeLists.txt names is built and tested by nobody."""


def check(repo):
    compiled = set(repo.compile_commands())
    errors, sources = [], repo.code(".cc")
    for path in sources:
        if path.resolve() not in compiled:
            errors.append(f"{repo.name(path)}: no target names it; add it to the CMakeLists.txt beside it")
    for path in sorted(compiled):
        if path.is_relative_to(repo.root) and not path.is_relative_to(repo.build) and not path.exists():
            errors.append(f"{repo.name(path)}: a target names it, but it is gone; configure again")
    return errors, f"{len(sources)} sources"
