#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Verifies a ledger database as docs/ledger.md describes it, with nothing of Stile's own code.

usage: verify.py LEDGER.db      prints "N rows, head HASH" or "row N: FAULT"
"""
import hashlib
import sqlite3
import sys

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def blake2b(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def form(value):
    """One value: its type, its length where it has one, its bytes."""
    if isinstance(value, int):
        return b"i%d;" % value
    data, mark = (value.encode(), b"t") if isinstance(value, str) else (value, b"b")
    return b"%s%d:%s;" % (mark, len(data), data)


def link(row):
    content = b"".join(
        name.encode() + b"=" + form(row[name]) for name in row.keys()
        if name not in ("sequence", "previous", "hash") and row[name] is not None)
    return blake2b(b"stile-ledger-link-1;" + form(row["sequence"]) + form(row["previous"])
                   + form(blake2b(b"stile-ledger-row-1;" + content)))


def sealed(row):
    return (b"stile-ledger-seal-1;" + form(row["sequence"]) + form(row["time_us"])
            + form(row["previous"]))


# Ed25519 (RFC 8032) in affine coordinates: slow and plain.
def add(a, b):
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2
    return ((x1 * y2 + x2 * y1) * pow(1 + t, P - 2, P) % P,
            (y1 * y2 + x1 * x2) * pow(1 - t, P - 2, P) % P)


def times(n, point):
    result = (0, 1)
    while n:
        result, point, n = add(result, point) if n & 1 else result, add(point, point), n >> 1
    return result


def point(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P:
        raise ValueError("no point of the curve")
    return (P - x if x & 1 != sign else x, y)


def signature_is_valid(key, signature, text):
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    s = int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    return s < L and times(s, base) == add(point(signature[:32]), times(h, point(key)))


def main(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    count, head, key = 0, bytes(32), None
    for row in db.execute("SELECT * FROM record ORDER BY sequence"):
        fault = None
        if row["sequence"] != count + 1:
            fault = "missing"
        elif link(row) != row["hash"]:
            fault = "changed"
        elif row["previous"] != head:
            fault = "unlinked"
        elif (row["kind"] == "checkpoint") != (None not in (row["seal_key"], row["seal_signature"])):
            fault = "seal"
        elif row["seal_key"] is not None:
            key = key or row["seal_key"]
            if key != row["seal_key"] or not signature_is_valid(
                    key, row["seal_signature"], sealed(row)):
                fault = "seal"
        if fault:
            sys.exit(f"row {count + 1}: {fault}")
        count, head = row["sequence"], row["hash"]
    print(f"{count} rows, head {head.hex()}")


main(sys.argv[1])
