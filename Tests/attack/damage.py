"""Changes bytes without their checksums: every command gives the right answer or says that the file is damaged."""

import os

import stores

CHECKSUMMED = {"plain", "compressed", "document", "packed"}
COMMANDS = [("info",), ("count", "Trip"), ("fetch", "Trip"), ("validate",), ("recover",), ("insert", "Trip", "name=New")]


def changed(random, data, older):
    """Returns changed bytes and what was done to them."""
    data, place = bytearray(data), random.randrange(len(data))
    kind = random.choice(["bit", "bit", "bit", "tail bit", "tail bit", "byte", "zeros", "cut", "swap", "old sector"])
    if kind == "tail bit":
        place = max(0, len(data) - 1 - random.randrange(600))
    if kind.endswith("bit"):
        data[place] ^= 1 << random.randrange(8)
    elif kind == "byte":
        data[place] = random.randrange(256)
    elif kind == "zeros":
        count = random.choice([4, 48, 512])
        data[place:place + count] = bytes(len(data[place:place + count]))
    elif kind == "cut":
        del data[place:]
    else:
        a, b = (random.randrange(len(data) // 512 + 1) * 512 for _ in range(2))
        if kind == "swap" and len(data[a:a + 512]) == len(data[b:b + 512]):
            data[a:a + 512], data[b:b + 512] = data[b:b + 512], data[a:a + 512]
        elif kind == "old sector" and a:
            sector = older[a:a + 512]
            data[a:a + len(sector)] = sector
    return bytes(data), f"{kind} at {place}"


def case(part, kind, source, expected, older):
    path, folder = stores.place_copy(part, source)
    target = path
    if os.path.isdir(path):
        files = [os.path.join(b, f) for b, _, names in os.walk(path) for f in names if not f.endswith("lock")]
        target = part.random.choice(sorted(f for f in files if os.path.getsize(f)))
    data = open(target, "rb").read()
    # A manifest is text with a checksum. Its digits name the commit that counts.
    manifest = os.path.basename(target) == "manifest.json"
    if manifest and part.random.random() < 0.5:
        place = part.random.choice([n for n, byte in enumerate(data) if 48 <= byte <= 57])
        bytes_now, what = data[:place] + bytes([data[place] ^ part.random.choice([1, 2, 4])]) + data[place + 1:], f"digit at {place}"
    else:
        bytes_now, what = changed(part.random, data, older if kind in ("plain", "compressed") else data)
    if bytes_now == data:
        return
    with open(target, "wb") as file:
        file.write(bytes_now)
    # A manifest with another version of its format is of a newer format.
    judge(part, kind, path, folder, expected, what, (0, 3, 4, 6))


def judge(part, kind, path, folder, expected, what, codes=(0, 3, 4, 6)):
    outcome = part.tool.run("export", path, "--format", "jsonl")
    if part.note_fault(outcome, folder):
        return
    check = kind in CHECKSUMMED
    if check and outcome.code == 0 and outcome.out != expected:
        part.find(f"export of a {kind} store gives another state with exit code 0 ({what})", outcome.arguments, folder)
    if check and outcome.code == 4 and not ("quire recover" in outcome.err and os.path.basename(path) in outcome.err):
        part.find(f"export of a {kind} store does not name the file and 'quire recover' ({what})", outcome.arguments, folder)
    elif check and outcome.code not in codes:
        part.find(f"export of a damaged {kind} store ends with exit code {outcome.code} ({what})", outcome.arguments, folder)
    name, *rest = part.random.choice(COMMANDS)
    arguments = [name, path, *rest]
    if name == "recover":
        arguments += ["--output", os.path.join(folder, "recovered" + (".quire" if os.path.isdir(path) else ".store"))]
    other = part.tool.run(*arguments)
    if part.note_fault(other, folder):
        return
    if not check:
        return
    if name == "validate" and other.code == 0 and outcome.code != 0:
        part.find(f"validate says valid for a {kind} store that export refuses ({what})", arguments, folder)
    if name == "count" and other.code == 0 and int(other.out or b"-1") != expected.count(b'"@entity":"Trip"'):
        part.find(f"count of a {kind} store is wrong with exit code 0 ({what})", arguments, folder)
    if name == "insert" and other.code == 0 and outcome.code == 0:
        after = stores.state(part.tool, path)
        if after is None or not set(expected.splitlines()) <= set(after.splitlines()):
            part.find(f"insert into a damaged {kind} store loses objects ({what})", arguments, folder)


def run(part, made, workers):
    expected = {kind: stores.state(part.tool, path) for kind, path in made.items()}
    older = {}
    for kind in ("plain", "compressed"):
        older[kind] = open(made[kind], "rb").read()
        part.tool.must("set", made[kind], "Trip", "name=Later", "--where", "TRUEPREDICATE")
        expected[kind] = stores.state(part.tool, made[kind])
    kinds = ["plain", "plain", "compressed", "compressed", "document", "packed", "xml", "sqlite"]
    index = iter(range(1 << 60))
    workers(part, lambda: (lambda kind: case(part, kind, made[kind], expected[kind], older.get(kind)))(
        kinds[next(index) % len(kinds)]))
