#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Verifies a ledger.db as docs/ledger.md describes it, with nothing of Stile's own code.

Prints "N rows, head HASH" or "row N: FAULT"."""
import hashlib
import sqlite3
import sys

from ed25519 import is_signature


def blake2b(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def form(value):
    """One value: its type, its length where it has one, its bytes."""
    if isinstance(value, int):
        return b"i%d;" % value
    data, mark = (value.encode(), b"t") if isinstance(value, str) else (value, b"b")
    return b"%s%d:%s;" % (mark, len(data), data)


def fault_of(row, count, head, key):
    content = b"".join(
        name.encode() + b"=" + form(row[name]) for name in row.keys()
        if name not in ("sequence", "previous", "hash") and row[name] is not None)
    place = form(row["sequence"]) + form(row["previous"])
    inner = form(blake2b(b"stile-ledger-row-1;" + content))
    hashed = blake2b(b"stile-ledger-link-1;" + place + inner)
    sealed = b"stile-ledger-seal-1;" + b"".join(
        form(row[name]) for name in ("sequence", "time_us", "previous"))
    seal = row["seal_key"], row["seal_signature"]
    if row["sequence"] != count + 1:
        return "missing"
    if hashed != row["hash"]:
        return "changed"
    if row["previous"] != head:
        return "unlinked"
    if row["kind"] != "checkpoint":
        return None if seal == (None, None) else "seal"
    is_ours = None not in seal and key in (None, seal[0])
    return None if is_ours and is_signature(*seal, sealed) else "seal"


db = sqlite3.connect(sys.argv[1])
db.row_factory = sqlite3.Row
count, head, key = 0, bytes(32), None
for row in db.execute("SELECT * FROM record ORDER BY sequence"):
    fault = fault_of(row, count, head, key)
    if fault:
        sys.exit(f"row {count + 1}: {fault}")
    count, head, key = row["sequence"], row["hash"], row["seal_key"] or key
print(f"{count} rows, head {head.hex()}")
