"""Runs the tool with limits, and keeps the findings of the campaign."""

import hashlib
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FINDINGS = os.path.join(ROOT, ".build/attack/findings")
TIME_LIMIT = 60
MEMORY_LIMIT = 4 << 30


class Outcome:
    def __init__(self, arguments, code, out, err, hung):
        self.arguments, self.code, self.out, self.err, self.hung = arguments, code, out, err, hung

    def fault(self):
        """Returns the reason why no run may end like this one, or None."""
        if self.hung:
            return f"did not end within {TIME_LIMIT} s"
        if self.code < 0:
            return f"ended by signal {-self.code}"
        return "exit code 70" if self.code == 70 else None


class Tool:
    def __init__(self, path):
        self.path = path
        self.runs = 0

    def start(self, *arguments, env=None, input=None):
        self.runs += 1
        return subprocess.Popen(
            [self.path, *arguments], stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(env or {})}, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT)))

    def run(self, *arguments, env=None, input=None):
        process = self.start(*arguments, env=env, input=input)
        try:
            out, err = process.communicate(input, timeout=TIME_LIMIT)
            return Outcome(arguments, process.returncode, out, err.decode(errors="replace"), False)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Outcome(arguments, -9, out, err.decode(errors="replace"), True)

    def must(self, *arguments):
        outcome = self.run(*arguments)
        if outcome.code != 0:
            raise SystemExit(f"attack: set-up failed: quire {shlex.join(arguments)}\n{outcome.err}")
        return outcome


class Part:
    """One part of the campaign: counts its runs and keeps its findings."""

    def __init__(self, name, tool, folder, random, seconds):
        self.name, self.tool, self.folder, self.random = name, tool, os.path.join(folder, name), random
        self.ends = time.monotonic() + seconds
        self.tried, self.findings, self.seen, self.lock = 0, [], {}, threading.Lock()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def has_time(self):
        return time.monotonic() < self.ends

    def place(self):
        """Returns a new empty folder."""
        with self.lock:
            self.tried += 1
            path = os.path.join(self.folder, str(self.tried))
        os.makedirs(path)
        return path

    def find(self, what, arguments, keep=None, env=None):
        """Records a finding. Of one kind, the files of the first three are kept."""
        kind = re.sub(r"\.out\.\S+", "a temporary file", re.sub(r" \(\w+( \w+)? at \d+\)$", "", what))
        kind = re.sub(r"\d+", "#", kind)
        with self.lock:
            count = self.seen[kind] = self.seen.get(kind, 0) + 1
            number = len(self.findings)
            words = [str(a) for a in arguments]
            if keep and count <= 3:
                kept = os.path.join(FINDINGS, f"{self.name}-{number}")
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(keep, kept, symlinks=True, dirs_exist_ok=True)
                words = [w.replace(keep, kept) for w in words]
                env = {k: v.replace(keep, kept) for k, v in (env or {}).items()}
            line = shlex.join([f"{k}={v}" for k, v in (env or {}).items()] + [".build/debug/quire", *words])
            self.findings.append(what)
            if count <= 3:
                print(f"attack: {self.name}: {what}\n  {line}", flush=True)

    def note_fault(self, outcome, keep, env=None):
        fault = outcome.fault()
        if fault:
            self.find(f"{outcome.arguments[0]} {fault}", outcome.arguments, keep, env)
        return fault

    def summary(self):
        more = "".join(f"\n    {count} times: {kind}" for kind, count in sorted(self.seen.items()))
        return f"{self.name}: {self.tried} cases, {len(self.findings)} findings{more}"


def digests(folder):
    """Returns the content of every file below a folder, links as their targets, by relative path."""
    result = {}
    for base, folders, files in os.walk(folder):
        for name in files + [f for f in folders if os.path.islink(os.path.join(base, f))]:
            path = os.path.join(base, name)
            if os.path.islink(path):
                content = b"link " + os.readlink(path).encode()
            else:
                content = open(path, "rb").read()
            result[os.path.relpath(path, folder)] = hashlib.sha256(content).hexdigest()
    return result


def copy(source, target):
    if os.path.isdir(source):
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target)
    return target
