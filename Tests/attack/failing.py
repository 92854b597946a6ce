"""Lets one system call of a writing command fail: the files contain exactly the changes that the command reports."""

import errno
import os
import re

import stores
from tool import ROOT, copy, digests

LIBRARY = os.path.join(ROOT, ".build/attack/failing_calls.so")
CALLS = ["open", "write", "fsync", "rename", "unlink", "link", "ftruncate", "close"]
CLAIM = re.compile(r"saved|was written|data written|is there|is in place|has been|counts|complete|was made|made anyway", re.I)


def command(name, path, folder, made):
    output = os.path.join(folder, "out.store")
    return {
        "insert": (["insert", path, "Trip", "name=Inserted"], path), "set": (["set", path, "Trip", "name=Set", "--where", "TRUEPREDICATE"], path),
        "vacuum": (["vacuum", path], path), "convert": (["convert", path, output], output),
        "convert --force": (["convert", path, output, "--force"], output),
        "export": (["export", path, "--output", os.path.join(folder, "out.jsonl")], os.path.join(folder, "out.jsonl")),
        "recover": (["recover", path, "--output", output], output),
    }[name]


def scene(part, made, kind, name):
    path, folder = stores.place_copy(part, made[kind])
    if name == "convert --force":
        copy(made["compressed"], os.path.join(folder, "out.store"))
    arguments, target = command(name, path, folder, made)
    return folder, path, arguments, target


def found(part, target):
    """Returns the content of a target, as far as the tool and the user see it."""
    if not os.path.lexists(target):
        return b"absent"
    return open(target, "rb").read() if target.endswith(".jsonl") else stores.state(part.tool, target)


def plain(text):
    return text and re.sub(rb'"@id":"[^"]*"', b"", text)


def attempt(part, made, kind, name, call, number, error, wanted):
    """Returns whether the process reached the call."""
    folder, path, arguments, target = scene(part, made, kind, name)
    mark = os.path.join(part.folder, f"mark-{os.path.basename(folder)}")
    before, names = found(part, target), set(os.listdir(folder))
    env = {"LD_PRELOAD": LIBRARY, "ATTACK_CALL": call, "ATTACK_NTH": str(number), "ATTACK_ERRNO": str(error),
           "ATTACK_PATH": folder, "ATTACK_MARK": mark}
    outcome = part.tool.run(*arguments, env=env)
    if not os.path.exists(mark):
        return False
    what = f"{name} ({kind}), {call} number {number} fails"
    if part.note_fault(outcome, folder, env):
        return True
    after = found(part, target)
    if after is None:
        part.find(f"{what}: the target can't be read, exit code {outcome.code}", arguments, folder, env)
    elif outcome.code == 0 and plain(after) != plain(wanted["state"]):
        part.find(f"{what}: exit code 0 without the change", arguments, folder, env)
    elif outcome.code != 0 and after != before and not CLAIM.search(outcome.err):
        part.find(f"{what}: exit code {outcome.code}, but the change is there", arguments, folder, env)
    left = set(os.listdir(folder)) - names - wanted["names"]
    # If the log of a database could not be brought into its file, the log stays until the next command.
    left -= {os.path.basename(target) + ending for ending in ("-wal", "-shm")} if kind == "sqlite" else set()
    if left and call != "unlink" and not all(n.endswith("lock") for n in left):
        part.find(f"{what}: leaves {sorted(left)[0]}", arguments, folder, env)
    return True


def run(part, made, workers):
    names = ["insert", "set", "vacuum", "convert", "convert --force", "export", "recover"]
    jobs, wanted = [], {}
    for kind in ("plain", "document", "xml", "sqlite"):
        for name in names if kind == "plain" else names[:2]:
            folder, path, arguments, target = scene(part, made, kind, name)
            part.tool.must(*arguments)
            wanted[kind, name] = {"state": found(part, target), "names": set(os.listdir(folder))}
            jobs += [(kind, name, call, error) for call in CALLS
                     for error in ([errno.EIO, errno.ENOSPC, 0] if call == "write" else [errno.EIO])]
    part.random.shuffle(jobs)

    def next_case():
        with part.lock:
            if not jobs:
                part.ends = 0
                return
            kind, name, call, error = jobs.pop()
        number = 1
        while part.has_time() and attempt(part, made, kind, name, call, number, error, wanted[kind, name]):
            number += 1
    workers(part, next_case)
