"""Writes outputs over inputs, links and files of other users, and stops writers: no other file may change or stay."""

import os
import signal
import time

import stores
from tool import copy, digests


def commands(path, output, document, packed):
    return {
        "export": ["export", path, "--output", output], "convert": ["convert", path, output],
        "recover": ["recover", path, "--output", output], "save-as": ["save-as", document, output],
        "pack": ["pack", document, output], "unpack": ["unpack", packed, output],
    }


def over_input(part, made, name, way, force):
    folder = part.place()
    path = copy(made["plain"], os.path.join(folder, "in.store"))
    document = copy(made["document"], os.path.join(folder, "in.quire"))
    packed = copy(made["packed"], os.path.join(folder, "in.zip"))
    source = {"save-as": document, "pack": document, "unpack": packed}.get(name, path)
    output = source
    if way == "dots":
        os.mkdir(os.path.join(folder, "x"))
        output = os.path.join(folder, "x", "..", os.path.basename(source))
    elif way == "symlink":
        output = os.path.join(folder, "link.store")
        os.symlink(source, output)
    elif way == "hard link" and not os.path.isdir(source):
        output = os.path.join(folder, "hard.store")
        os.link(source, output)
    before = digests(folder)
    arguments = commands(path, output, document, packed)[name] + (["--force"] if force and name not in ("export", "unpack") else [])
    outcome = part.tool.run(*arguments)
    part.note_fault(outcome, folder)
    after = digests(folder)
    lost = [p for p in before if after.get(p) != before[p] and not p.endswith("lock")]
    # With --force a hard link or a symbolic link at the output may be replaced: its old content is in the input still.
    if force and outcome.code == 0:
        lost = [p for p in lost if p not in ("hard.store", "link.store")]
    if lost:
        part.find(f"{name} over its own input ({way}{', --force' if force else ''}) changes {lost[0]}", arguments, folder)


def existing(part, made, name):
    """The output exists and --force is absent: the file stays."""
    folder = part.place()
    path, output = copy(made["plain"], os.path.join(folder, "in.store")), os.path.join(folder, "out.thing")
    document, packed = copy(made["document"], os.path.join(folder, "in.quire")), copy(made["packed"], os.path.join(folder, "in.zip"))
    with open(output, "w") as file:
        file.write("a user's file")
    before = digests(folder)
    arguments = commands(path, output, document, packed)[name]
    outcome = part.tool.run(*arguments)
    part.note_fault(outcome, folder)
    after = digests(folder)
    if after.get("out.thing") != before["out.thing"] or outcome.code == 0:
        part.find(f"{name} replaces a file without --force", arguments, folder)


def temporary_names(part, made, name, linked):
    folder, outside = part.place(), part.place()
    path, output = copy(made["plain"], os.path.join(folder, "in.store")), os.path.join(folder, "out.store")
    victim = os.path.join(outside, "victim")
    with open(victim, "w") as file:
        file.write("a user's file")
    for suffix in (".quire-new", ".tmp", ".new", "~"):
        if linked:
            os.symlink(victim, output + suffix)
        else:
            copy(victim, output + suffix)
    before, other = digests(folder), digests(outside)
    arguments = commands(path, output, None, None)[name]
    outcome = part.tool.run(*arguments)
    part.note_fault(outcome, folder)
    after = digests(folder)
    lost = [p for p in before if after.get(p) != before[p]]
    if lost or digests(outside) != other:
        part.find(f"{name} destroys a file with a temporary name: {lost or 'outside'}", arguments, folder)


def pairs(part, made, expected):
    """Two processes convert to one destination: each exit code 0 vouches for a whole destination."""
    path, folder = stores.place_copy(part, made["plain"])
    output = os.path.join(folder, "out.store")
    arguments = ["convert", path, output, "--force"]
    processes = [part.tool.start(*arguments) for _ in range(3)]
    codes = []
    for process in processes:
        process.communicate()
        codes.append(process.returncode)
    if 0 in codes and count(part, output) != expected:
        part.find("concurrent converts end with exit code 0 and not all objects", arguments, folder)
    if any(code < 0 or code == 70 for code in codes):
        part.find(f"concurrent converts end with {codes}", arguments, folder)


def count(part, path):
    text = stores.state(part.tool, path)
    return None if text is None else len(text.splitlines())


def stopped(part, made, name, how):
    """A stopped writer changes no input, and after the next run nothing of it is left."""
    folder = part.place()
    path, document = copy(made["plain"], os.path.join(folder, "in.store")), copy(made["document"], os.path.join(folder, "in.quire"))
    packed = copy(made["packed"], os.path.join(folder, "in.zip"))
    output = os.path.join(folder, "out.quire" if name in ("save-as", "unpack") else "out.store")
    arguments = commands(path, output, document, packed)[name]
    before = digests(folder)
    process = part.tool.start(*arguments)
    time.sleep(part.random.uniform(0.005, 0.2))
    process.send_signal(how)
    process.communicate()
    if os.path.exists(output):
        arguments = arguments + ([] if name in ("export", "unpack") else ["--force"])
    if how == signal.SIGKILL:
        part.note_fault(part.tool.run(*arguments), folder)
    after = digests(folder)
    changed = [p for p in before if after.get(p) != before[p] and not p.endswith("lock")]
    left = [p for p in os.listdir(folder) if p not in ("in.store", "in.quire", "in.zip", os.path.basename(output)) and not p.endswith("lock")]
    if changed:
        part.find(f"{name} stopped by {how.name} changes its input", arguments, folder)
    if left:
        part.find(f"{name} stopped by {how.name} leaves {left[0]}", arguments, folder)


def run(part, made, workers):
    names = ["export", "convert", "recover", "save-as", "pack", "unpack"]
    expected = count(part, made["plain"])
    fixed = [lambda n=n, w=w, f=f: over_input(part, made, n, w, f)
             for n in names for w in ("path", "dots", "symlink", "hard link") for f in (False, True)]
    fixed += [lambda n=n: existing(part, made, n) for n in names if n != "export"]
    fixed += [lambda n=n, l=l: temporary_names(part, made, n, l) for n in names[:3] for l in (False, True)]
    fixed += [lambda: pairs(part, made, expected)] * 3
    def next_case():
        with part.lock:
            job = fixed.pop(0) if fixed else None
        if job:
            return job()
        stopped(part, made, part.random.choice(names),
                part.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
        if part.random.random() < 0.2:
            pairs(part, made, expected)
    workers(part, next_case)
