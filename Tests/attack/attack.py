#!/usr/bin/env python3
"""Attacks the tool from outside: damage, resealed damage, outputs over inputs, kills, failing calls and failing devices."""

import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import time
import traceback

import damage
import device
import failing
import kills
import resealed
import stores
import writing
from tool import FINDINGS, ROOT, Part, Tool

PARTS = {"damage": damage, "resealed": resealed, "writing": writing, "kills": kills, "failing": failing,
         "device": device}
FAULTS = {"exits 70": "damage", "signal": "resealed", "older state": "damage", "overwrites input": "writing",
          "leaves a file": "writing", "claims success": "kills", "forgets a save": "device"}


def workers(part, one):
    """Runs cases side by side until the time of the part is over."""
    def loop():
        while part.has_time():
            one()
            if part.tried % 50 == 0:
                trim(part)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job in [pool.submit(loop) for _ in range(2)]:
            job.result()


def trim(part):
    """Removes the folders of cases that have ended."""
    for name in os.listdir(part.folder):
        if name.isdigit() and int(name) < part.tried - 20:
            shutil.rmtree(os.path.join(part.folder, name), ignore_errors=True)


def attack(tool, names, seconds, seed, folder):
    """Returns the parts that ran."""
    source = random.Random(seed)
    result = []
    for name in names:
        made = stores.make(tool, os.path.join(folder, "stores-" + name))
        part = Part(name, tool, folder, random.Random(source.random()), seconds)
        PARTS[name].run(part, made, workers)
        print("attack: " + part.summary(), flush=True)
        result.append(part)
    return result


def self_test(path, seed):
    """Returns whether the campaign catches each fault that a wrapper of the tool commits on purpose."""
    missed = []
    for fault, name in FAULTS.items():
        if name == "device" and device.objection():
            print(f"attack: self-test: {fault}: left out: {device.objection()}", flush=True)
            continue
        os.environ.update(ATTACK_TOOL=path, ATTACK_FAULT=fault)
        with tempfile.TemporaryDirectory() as folder:
            tool = Tool(os.path.join(ROOT, "Tests/attack/faulty.py"))
            source = Tool(path)
            made = stores.make(source, os.path.join(folder, "stores"))
            part = Part(name, tool, folder, random.Random(seed), 10)
            try:
                PARTS[name].run(part, made, workers)
            except SystemExit as error:
                print(error)
        words = {"exits 70": "exit code 70", "signal": "signal", "older state": "another state",
                 "overwrites input": "changes", "leaves a file": "leaves", "claims success": "lost",
                 "forgets a save": "lost"}[fault]
        caught = any(words in what for what in part.findings)
        print(f"attack: self-test: {fault}: {'caught' if caught else 'MISSED'}", flush=True)
        if not caught:
            missed.append(fault)
    return not missed


def main():
    options = argparse.ArgumentParser(prog="./run attack", description=__doc__)
    options.add_argument("--minutes", type=float, default=2.5, help="how long all parts take together")
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--only", choices=PARTS)
    options.add_argument("--self-test", action="store_true", help="shows that each kind of fault is caught")
    options.add_argument("--tool", default=os.path.join(ROOT, ".build/debug/quire"))
    chosen = options.parse_args()
    seed = chosen.seed if chosen.seed is not None else random.randrange(1 << 32)
    shutil.rmtree(FINDINGS, ignore_errors=True)
    os.makedirs(FINDINGS)
    if chosen.self_test:
        sys.exit(0 if self_test(chosen.tool, seed) else 1)
    print(f"attack: seed {seed}", flush=True)
    names = [chosen.only] if chosen.only else list(PARTS)
    tool, begun = Tool(chosen.tool), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        parts = attack(tool, names, chosen.minutes * 60 / len(names), seed, os.path.realpath(folder))
    found = sum(len(part.findings) for part in parts)
    print(f"attack: {sum(p.tried for p in parts)} cases, {tool.runs} runs of the tool, {found} findings, "
          f"{time.monotonic() - begun:.0f} s; files of findings: .build/attack/findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
