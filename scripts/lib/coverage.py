"""Prints which part of the lines of each module the tests execute, and lists the other lines.

Usage: coverage.py LCOV LIST. LCOV is the output of `llvm-cov export --format=lcov`, and LIST is written: for each file the ranges of lines
that no test executes. The command fails if the tests execute less than 90 of 100 lines of all modules together.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEAST_PERCENTAGE = 90


def read_counts(path):
    """Returns for each source file of the modules how often each of its lines was executed."""
    files, lines = {}, None
    with open(path, encoding="utf-8") as file:
        for text in file:
            if text.startswith("SF:"):
                name = os.path.relpath(text[3:].strip(), ROOT)
                is_module = re.match(r"(Sources|Plugins)/.*\.swift$", name)
                lines = files.setdefault(name, {}) if is_module else None
            elif text.startswith("DA:") and lines is not None:
                number, count = text[3:].split(",")[:2]
                lines[int(number)] = max(lines.get(int(number), 0), int(count))
    return files


def ranges(numbers):
    """Returns texts such as `3-5` for the numbers that ascend without a gap."""
    found = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [str(first) if first == last else f"{first}-{last}" for first, last in found]


def main():
    files = read_counts(sys.argv[1])
    modules = {}
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        for name, lines in sorted(files.items()):
            module = modules.setdefault("/".join(name.split("/")[:2]), [0, 0])
            missing = [number for number, count in lines.items() if count == 0]
            module[0] += len(lines) - len(missing)
            module[1] += len(lines)
            if missing:
                output.write(f"{name}: {', '.join(ranges(missing))}\n")
    for name, (executed, total) in sorted(modules.items(), key=lambda item: item[1][0] / item[1][1]):
        print(f"{100 * executed / total:6.1f} %  {total - executed:6} of {total:6} lines left  {name}")
    executed, total = (sum(module[index] for module in modules.values()) for index in (0, 1))
    percentage = 100 * executed / max(total, 1)
    print(f"coverage: the tests execute {percentage:.1f} % of {total} lines; {sys.argv[2]} lists the others")
    return 0 if percentage >= LEAST_PERCENTAGE else 1


if __name__ == "__main__":
    sys.exit(main())
