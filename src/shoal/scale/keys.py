"""A number for each record that depends on its values alone."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two keys of one column are mixed up
SPREAD = np.uint64(0xBF58476D1CE4E5B9)
MISSING = np.uint64(0x94D049BB133111EB)


def content_keys(table: pa.Table, columns: Sequence[str], seed: int = 0) -> Keys:
    """Return a key of 64 bits per record, equal for records with equal values of ``columns``.

    Whole numbers and floats of one value have one key, whatever type a file gave them.
    """
    mixed = np.full(len(table), (seed + 1) * int(SPREAD) % 2**64, np.uint64)
    for name in columns:
        mixed = (mixed ^ _key(table.column(name).combine_chunks())) * MIX
        mixed ^= mixed >> np.uint64(29)
        mixed *= SPREAD
        mixed ^= mixed >> np.uint64(32)
    return mixed


def told_apart(keys: Keys) -> Keys:
    """Return other keys for equal ones that follow each other, so that a draw takes each alone."""
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    place = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    return keys ^ (place.astype(np.uint64) * SPREAD)


def chosen(keys: Keys, share: float) -> NDArray[np.bool_]:
    """Say which records a sample holds that takes ``share`` of all."""
    if share >= 1:
        return np.ones(len(keys), bool)
    return np.asarray(keys < np.uint64(share * 2**64))


def _key(array: Any) -> Keys:
    hole = np.asarray(array.is_null())
    kind = array.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = array.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy(zero_copy_only=False)
        numbers = numbers + 0.0  # no negative zero
        numbers[np.isnan(numbers)] = np.nan
        found = numbers.view(np.uint64)
    else:
        encoded = array.dictionary_encode()
        texts = [_digest(value) for value in encoded.dictionary.to_pylist()]
        found = np.array([*texts, 0], np.uint64)[encoded.indices.fill_null(-1).to_numpy()]
    return np.where(hole, MISSING, found)


def _digest(value: Any) -> int:
    return int.from_bytes(hashlib.blake2b(str(value).encode(), digest_size=8).digest())
