#!/usr/bin/env python3
"""Commits one fault on purpose (ATTACK_FAULT), and is the tool otherwise. `./run attack --self-test` runs it."""

import os
import subprocess
import sys

tool, fault, arguments = os.environ["ATTACK_TOOL"], os.environ["ATTACK_FAULT"], sys.argv[1:]
command = arguments[0] if arguments else ""
if fault == "exits 70" and command == "export" and "damage" in arguments[1]:
    sys.exit(70)
if fault == "signal" and command == "validate":
    os.abort()
if fault == "older state" and command == "export" and "--format" in arguments and "/damage/" in arguments[1]:
    sys.exit(0)
if fault == "overwrites input" and command == "export" and "--output" in arguments:
    open(arguments[1], "wb").close()
    sys.exit(0)
if fault == "leaves a file" and command == "convert" and "/writing/" in arguments[1]:
    open(arguments[2] + ".left", "wb").close()
if fault == "claims success" and command == "insert" and ("/kills/" in arguments[1] or "LD_PRELOAD" in os.environ):
    if "ATTACK_MARK" in os.environ:
        open(os.environ["ATTACK_MARK"], "wb").close()
    sys.exit(0)
if fault == "forgets a save" and command == "insert" and "/device/" in arguments[1]:
    sys.exit(0)
os.execv(tool, [tool, *arguments])
