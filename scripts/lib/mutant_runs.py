"""Runs the test suites on the mutants that `mutants.py` has compiled."""

import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

PROGRAM = ".build/debug/quirePackageTests.xctest"
# The number of suites that run at the same time.
WORKERS = 2
# Seconds that a suite may take without a mutant. Longer suites are left out.
LONGEST = 60
MOST_MEMORY = 6 << 30
REACHED_BYTES = 65536


class Outcome:
    """The end of one run of a suite."""

    def __init__(self, status, failure, seconds, is_late):
        self.status, self.failure, self.seconds, self.is_late = status, failure, seconds, is_late

    @property
    def passed(self):
        return self.status == 0 and not self.failure and not self.is_late


def limit_process():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A mutant may allocate without end.
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


class Runs:
    """The test suites, with the mutants that each reaches and the time that it takes."""

    def __init__(self, tree, folder, options):
        self.tree, self.folder = tree, folder
        self.longest, self.workers, self.pattern = options.longest, options.workers, options.suites
        self.suites = {}

    def run(self, suites, seconds, **variables):
        """Runs suites in a process group and a temporary folder of their own, until the first failure."""
        temporary = tempfile.mkdtemp(prefix="mutants-")
        environment = dict(os.environ, TMPDIR=temporary, SWIFT_BACKTRACE="enable=no", QUIRE_SEED="1", NO_COLOR="1", **variables)
        filters = [word for suite in suites for word in ("--filter", f"^{re.escape(suite)}/")]
        command = [os.path.join(self.tree, PROGRAM), "--testing-library", "swift-testing", *filters]
        start, failure, late = time.monotonic(), "", threading.Event()
        process = subprocess.Popen(
            command, cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=limit_process)

        def stop():
            late.set()
            kill_group(process)

        timer = threading.Timer(seconds, stop)
        timer.start()
        try:
            for line in process.stdout:
                text = re.sub(r"\x1b\[[0-9;]*m", "", line.decode("utf-8", "replace"))
                if text.startswith("✘") and "known issue" not in text:
                    failure = text.strip()
                    break
            if failure:
                kill_group(process)
            process.wait()
        finally:
            timer.cancel()
            kill_group(process)
            process.stdout.close()
            shutil.rmtree(temporary, ignore_errors=True)
        return Outcome(process.returncode, failure, time.monotonic() - start, late.is_set())

    # --- Without a mutant

    def measure(self):
        """Runs each suite without a mutant. Suites whose program and files did not change are not run again."""
        listed = subprocess.run(
            [os.path.join(self.tree, PROGRAM), "--testing-library", "swift-testing", "--list-tests"], cwd=self.tree,
            capture_output=True, text=True, check=True).stdout
        names = sorted({line.split("/")[0] for line in listed.splitlines() if "/" in line})
        names = [name for name in names if re.search(self.pattern, name)]
        path = os.path.join(self.folder, "suites.json")
        known = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                known = json.load(file)
        sources = self.hash(["Package.swift", "Sources", "Plugins", "Tests/Support"])
        hashes = {target: sources + self.hash([f"Tests/{target}"]) for target in {name.split(".")[0] for name in names}}
        self.suites = {
            name: known[name] for name in names if known.get(name, {}).get("hash") == hashes[name.split(".")[0]]}
        missing = [name for name in names if name not in self.suites]
        print(f"mutants: runs {len(missing)} of {len(names)} suites without a mutant", flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            for name, suite in zip(missing, pool.map(self.measured, missing)):
                self.suites[name] = {**suite, "hash": hashes[name.split(".")[0]]}
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({**known, **self.suites}, file)
        for name, suite in sorted(self.suites.items()):
            if suite["fault"] or suite["seconds"] > self.longest:
                print(f"mutants: left out: {name}, {suite['fault'] or '%.0f seconds' % suite['seconds']}")
        self.suites = {
            name: suite for name, suite in self.suites.items() if not suite["fault"] and suite["seconds"] <= self.longest}
        total = sum(suite["seconds"] for suite in self.suites.values())
        print(f"mutants: {len(self.suites)} suites take {total:.0f} seconds", flush=True)

    def hash(self, paths):
        digest = hashlib.sha256()
        for path in paths:
            full = os.path.join(self.tree, path)
            files = [full] if os.path.isfile(full) else sorted(
                os.path.join(base, name) for base, _, names in os.walk(full) for name in names)
            for name in files:
                with open(name, "rb") as file:
                    digest.update(name.encode() + b"\0" + file.read())
        return digest.hexdigest()[:16]

    def measured(self, name):
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(REACHED_BYTES)
            outcome = self.run([name], 4 * self.longest, QUIRE_MUTANTS_REACHED=file.name)
            fault = "" if outcome.passed else "more than %.0f seconds" % outcome.seconds if outcome.is_late else (
                outcome.failure or f"status {outcome.status}")
            file.seek(0)
            reached = [number for number, byte in enumerate(file.read()) if byte]
        return {"seconds": outcome.seconds, "reached": reached, "fault": fault}

    # --- With a mutant

    def run_all(self, mutants, save):
        """Runs the tests on each mutant, and calls `save` with the mutant's key and its result."""
        done = 0
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            waiting = {pool.submit(self.tried, mutant): mutant for mutant in mutants}
            for future in concurrent.futures.as_completed(waiting):
                mutant, (outcome, by), done = waiting[future], future.result(), done + 1
                save(mutant.key, {
                    "id": mutant.id, "area": mutant.area, "place": f"{mutant.path}:{mutant.number}", "outcome": outcome, "by": by,
                    "change": f"{mutant.line.strip()} -> {mutant.changed.strip() or 'nothing'}"})
                print(f"{done}/{len(mutants)} {mutant.id} {outcome} {by}", flush=True)

    def batches(self, mutant):
        """Returns lists of the suites that reach a mutant: first the quick suites of its area, and in each list suites for more seconds."""
        names = [name for name, suite in self.suites.items() if mutant.id in suite["reached"]]
        names.sort(key=lambda name: (not name.startswith(mutant.tests + "."), self.suites[name]["seconds"]))
        found, limit = [], 1
        for name in names:
            if not found or sum(self.suites[other]["seconds"] for other in found[-1]) > limit:
                found.append([])
                limit *= 4
            found[-1].append(name)
        return found

    def is_confirmed(self, mutant, names, limit):
        """Returns whether the suites fail again. On a busy machine, tests that wait may fail without a reason."""
        if all(name.startswith(mutant.tests + ".") for name in names):
            return True
        return not self.run(names, limit, QUIRE_MUTANT=str(mutant.id)).passed

    def tried(self, mutant):
        """Runs the suites that reach a mutant. Returns the outcome, and the test that has caught the mutant."""
        batches = self.batches(mutant)
        if not batches:
            return "not reached", ""
        for names in batches:
            limit = 20 + 6 * sum(self.suites[name]["seconds"] for name in names)
            outcome = self.run(names, limit, QUIRE_MUTANT=str(mutant.id))
            if not outcome.passed and self.is_confirmed(mutant, names, limit):
                found = re.match(r'✘ Test (?:"(.*?)"|(\S+)) (?:with|recorded|failed)', outcome.failure)
                place = re.search(r" at (\w+\.swift):\d+", outcome.failure)
                if found:
                    return "caught", f"{found.group(1) or found.group(2)} ({place.group(1) if place else names[0]})"
                suites = names[0] if len(names) == 1 else f"one of {len(names)} suites, such as {names[0]}"
                return "caught", f"{'a run that never ends' if outcome.is_late else 'a crash'} in {suites}"
        return "survived", f"{sum(len(names) for names in batches)} suites"


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
