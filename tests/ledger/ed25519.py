# SPDX-License-Identifier: MIT
"""Checks an Ed25519 signature (RFC 8032) in affine coordinates: slow, plain, and nothing else's."""
import hashlib

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


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


def is_signature(key, signature, text):
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    s = int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    return s < L and times(s, base) == add(point(signature[:32]), times(h, point(key)))
