"""Kills writers at random moments: each save that was acknowledged is there afterwards."""

import glob
import time

import stores

ROUNDS = 4
# With the package libfaketime, half of the writers have a clock that jumps by years.
CLOCK = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")


def clock(part):
    """Returns the environment of a writer: the system's clock, or another one."""
    if not CLOCK or part.random.random() < 0.5:
        return {}
    return {"LD_PRELOAD": CLOCK[0], "FAKETIME": f"@{part.random.randint(1960, 2200)}-02-03 04:05:06"}


def case(part, made, kind):
    path, folder = stores.place_copy(part, made[kind])
    acknowledged = []
    for number in range(ROUNDS):
        name = f"Killed {number} {part.random.randrange(1 << 30)}"
        arguments = ["insert", path, "Trip", f"name={name}"]
        if part.random.random() < 0.2:
            arguments, name = ["vacuum", path], None
        process = part.tool.start(*arguments, env=clock(part))
        try:
            process.communicate(timeout=part.random.uniform(0.01, 0.3))
        except BaseException:
            process.kill()
            process.communicate()
        if process.returncode == 0 and name:
            acknowledged.append(name)
    check(part, path, folder, acknowledged)


def check(part, path, folder, acknowledged):
    text = stores.state(part.tool, path)
    if text is None:
        part.find("a store can't be read after a kill", ["export", path], folder)
        return
    for name in acknowledged:
        if name.encode() not in text:
            part.find("an acknowledged save is lost after a kill", ["export", path], folder)
    valid = part.tool.run("validate", path)
    if not part.note_fault(valid, folder) and valid.code != 0:
        part.find(f"validate ends with exit code {valid.code} after a kill", valid.arguments, folder)
    saved = part.tool.run("insert", path, "Trip", "name=Afterwards")
    if not part.note_fault(saved, folder) and saved.code != 0:
        part.find(f"the next save ends with exit code {saved.code} after a kill", saved.arguments, folder)


def session(part, made, kind):
    """Kills a session; its acknowledgements are the inserted counts that are found after each save."""
    path, folder = stores.place_copy(part, made[kind])
    names = [f"Session {number}" for number in range(20)]
    script = "".join(f"insert Trip 'name={name}'\nsave\ncount Trip\n" for name in names).encode()
    process = part.tool.start("open", path, env=clock(part), input=script)
    process.stdin.write(script)
    process.stdin.close()
    process.stdin = None
    time.sleep(part.random.uniform(0.02, 0.6))
    process.kill()
    out, _ = process.communicate()
    counted = sum(1 for line in out.splitlines() if line.strip().isdigit())
    check(part, path, folder, names[:counted])


def run(part, made, workers):
    workers(part, lambda: part.random.choice([case, session])(
        part, made, part.random.choice(["plain", "compressed", "document", "xml", "sqlite"])))
