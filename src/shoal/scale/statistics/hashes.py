"""64-bit hashes of records, which depend only on the values of the records."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

# Added to the seed, so that these hashes are independent of each other and of those of the sample.
ATTACK_SEED_OFFSET = 1
COMBINATION_SEED_OFFSET = 2
RECODING_SEED_OFFSET = 3

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying is one-to-one
SECOND_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)  # odd as well
MISSING = np.uint64(0x94D049BB133111EB)  # the hash of a missing value, with random-looking bits


def record_hashes(table: pa.Table, columns: Sequence[str], seed: int = 0) -> Hashes:
    """Return a 64-bit hash per record, equal for records with equal values of ``columns``.

    Integers and floats of the same value have the same hash, whatever their type in a file.
    """
    hashes = np.full(len(table), (seed + 1) * int(SECOND_MULTIPLIER) % 2**64, np.uint64)
    for name in columns:
        hashes = (hashes ^ _column_hashes(table.column(name).combine_chunks())) * MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
        hashes *= SECOND_MULTIPLIER
        hashes ^= hashes >> np.uint64(32)
    return hashes


def distinguish_duplicates(hashes: Hashes) -> Hashes:
    """Return hashes in which equal neighbours differ, so that each is sampled independently."""
    starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
    rank = np.arange(len(hashes)) - np.repeat(starts, np.diff(np.append(starts, len(hashes))))
    return hashes ^ (rank.astype(np.uint64) * SECOND_MULTIPLIER)


def in_sample(hashes: Hashes, share: float) -> NDArray[np.bool_]:
    """Return which records belong to a sample of about ``share`` of all."""
    if share >= 1:
        return np.ones(len(hashes), bool)
    return np.asarray(hashes < np.uint64(share * 2**64))


def _column_hashes(array: Any) -> Hashes:
    is_missing = np.asarray(array.is_null())
    kind = array.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = array.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy(zero_copy_only=False)
        numbers = numbers + 0.0  # no negative zero
        numbers[np.isnan(numbers)] = np.nan  # one bit pattern for all NaN
        hashes = numbers.view(np.uint64)
    else:
        encoded = array.dictionary_encode()
        digests = [_digest(value) for value in encoded.dictionary.to_pylist()]
        hashes = np.array([*digests, 0], np.uint64)[encoded.indices.fill_null(-1).to_numpy()]
    return np.where(is_missing, MISSING, hashes)


def _digest(value: Any) -> int:
    return int.from_bytes(hashlib.blake2b(str(value).encode(), digest_size=8).digest())
