"""Compares the reference reader in spec/reference with the specification's vectors, with `quire hash` and with `quire validate`.

The comparison has five parts: the vectors of the clauses 2.4.9, 2.4.10, 4.9, 7.9 and 16.6, damaged documents with several heads and damaged
packs; the version hashes of the models of the examples and of random models; the vectors of the rules (6.4), of which the reader must report
exactly the rule; changed files and documents; and copies of a document that the tool edits and syncs (`exchanges.py`). Of the changed files, the
reader and the tool must give the same verdict, and where they find errors, they must have found an error of one rule in common.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import random
import shlex
import shutil
import subprocess
import sys
import time

import exchanges
import files
import head_damages
import inline_vectors
import objects
import pack_damages
import random_models

ROOT = files.ROOT
FOLDER = os.path.join(ROOT, ".build/reference")
sys.path.insert(0, os.path.join(ROOT, "spec/reference"))
import judge  # noqa: E402
import modelfiles  # noqa: E402
from findings import SEVERITIES, Refused  # noqa: E402

ENTITIES_PER_MODEL = 250
PATHS_PER_CALL = 50


def models():
    """Yields the path of each model of the examples."""
    for base, folders, _ in os.walk(os.path.join(ROOT, "Examples")):
        folders[:] = sorted(name for name in folders if name != ".build")
        yield from (os.path.join(base, name) for name in folders if name.endswith(".xcdatamodel"))
    yield os.path.join(ROOT, "Examples/Trips.store")


def compare_hashes(tool, path):
    """Returns the number of hashes of a model, and a sentence for each that the reader and the tool compute differently."""
    try:
        ours = {name: value.hex() for name, value in modelfiles.read(path).hashes().items()}
    except Refused as error:
        ours = f"refused: {error}"
    outcome = subprocess.run(
        [tool, "hash", "--format", "json", path], capture_output=True, text=True, timeout=60, check=False)
    theirs = json.loads(outcome.stdout)["entities"] if outcome.returncode == 0 else outcome.stderr.strip()
    command = shlex.join([".build/debug/quire", "hash", path])
    if isinstance(ours, str) or isinstance(theirs, str):
        return 0, [f"{command}\n  the tool: {str(theirs)[:200]}\n  the reader: {str(ours)[:200]}"]
    return len(ours), [
        f"{command}\n  {name}: the tool computes {theirs.get(name)}, the reader {ours.get(name)}"
        for name in sorted(ours.keys() | theirs.keys()) if ours.get(name) != theirs.get(name)]


def judge_by_reader(path):
    """The verdict and the rules that the reader finds broken."""
    report = judge.path(path)
    return report.verdict, report.rules


def judge_by_tool(tool, paths):
    """The verdict and the rules that `quire validate` finds broken, for each path."""
    outcome = subprocess.run(
        [tool, "validate", "--format", "json", *paths], capture_output=True, text=True, timeout=600, check=False)
    reports = [json.loads(line) for line in outcome.stdout.splitlines()] if len(paths) > 1 else [json.loads(outcome.stdout)]
    if [report["path"] for report in reports] != paths:
        raise SystemExit(f"reference: the tool has no report of each file: {outcome.stderr}")
    return [(report["verdict"], set(report["rules"])) for report in reports]


def errors(rules):
    return {rule for rule in rules if SEVERITIES[rule] == "error"}


def compare_judgements(tool, paths, pool, workers):
    """Yields for each path a sentence where the reader and the tool differ, or None."""
    chunks = [paths[start:start + PATHS_PER_CALL] for start in range(0, len(paths), PATHS_PER_CALL)]
    theirs = workers.map(lambda chunk: judge_by_tool(tool, chunk), chunks)
    ours = pool.imap(judge_by_reader, paths, chunksize=20)
    for path, own, other in zip(paths, ours, (one for chunk in theirs for one in chunk)):
        is_same = own[0] == other[0] and (own[0] != "invalid" or errors(own[1]) & errors(other[1]))
        command = shlex.join([".build/debug/quire", "validate", path])
        yield None if is_same else (
            f"{command}\n  the tool: {other[0]} {sorted(other[1])}\n  the reader: {own[0]} {sorted(own[1])}")


def compare_rules(pool):
    """Yields for each vector of a rule a sentence where the reader reports another rule, or None."""
    vectors = list(files.rule_files())
    for (rule, path), (_, rules) in zip(vectors, pool.imap(judge_by_reader, [path for _, path in vectors])):
        yield None if rules == {rule} else f"{path}: the reader reports {sorted(rules)}"
    for title, data in files.block_file_vectors():
        found = judge.data(data)
        yield None if found.verdict == "valid" and not found.findings else f"vector '{title}': {found.findings}"


def compare_exchanges(tool, seed):
    """Yields for each comparison of what copies have exchanged a sentence where the reader and the tool differ, or None."""
    folder = os.path.join(FOLDER, "exchanges")
    os.makedirs(folder)
    try:
        yield from exchanges.compare_exchanges(objects.Tool(tool), seed, folder)
    except objects.Failure as failure:
        yield f"{folder}: {failure}"


def main():
    parser = argparse.ArgumentParser(prog="./run reference", description="Compares the reader in spec/reference with Quire.")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--entities", type=int, default=10_000, help="the number of random entities (10,000)")
    parser.add_argument("--mutants", type=int, default=10_000, help="the number of changed files and documents (10,000)")
    parser.add_argument("--tool", default=os.path.join(ROOT, ".build/debug/quire"))
    options = parser.parse_args()
    started, source = time.monotonic(), random.Random(options.seed)
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    print(f"reference: seed {options.seed}", flush=True)

    checked = [*random_models.compare_vectors(), *inline_vectors.compare_all(), *head_damages.compare_damages(),
               *pack_damages.compare_damages()]
    paths = list(models())
    for number in range((options.entities + ENTITIES_PER_MODEL - 1) // ENTITIES_PER_MODEL):
        folder = os.path.join(FOLDER, f"{number}.xcdatamodel")
        os.makedirs(folder)
        with open(os.path.join(folder, "contents"), "wb") as file:
            file.write(random_models.random_model(source, ENTITIES_PER_MODEL))
        paths.append(folder)
    mutants = files.Mutants(source, FOLDER)
    judged = [path for _, path in files.rule_files()] + [mutants.make(number) for number in range(options.mutants)]
    hashes = 0
    with multiprocessing.Pool(2) as pool, concurrent.futures.ThreadPoolExecutor(2) as workers:
        checked += compare_rules(pool)
        found = [sentence for sentence in checked if sentence]
        for count, sentences in workers.map(lambda path: compare_hashes(options.tool, path), paths):
            hashes += count
            found += sentences
        found += filter(None, compare_judgements(options.tool, judged, pool, workers))
    exchanged = list(compare_exchanges(options.tool, options.seed))
    found += filter(None, exchanged)

    for sentence in found[:20]:
        print(f"reference: {sentence}")
    print(f"reference: {len(checked)} vectors, {len(paths)} models, {hashes} hashes, "
          f"{len(judged)} files judged, {len(exchanged)} comparisons of exchanges; {len(found)} differences; "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
