"""Verify the files of the cells."""

import time
from dataclasses import dataclass

from reproduction.records.record import Record, scaled_table
from reproduction.records.verifier import NotAPartition, check_duals, check_partition

TOLERANCE = 1e-9  # relative difference that rounding may cause


class NotVerified(ValueError):
    """A record is not valid; ``code`` is what is wrong: labels, loss, duals or bound."""

    def __init__(self, name: str, code: str):
        super().__init__(f"{name}: {MESSAGES[code]}")
        self.name, self.code = name, code


MESSAGES = {
    "labels": "A group has fewer than k records, or a record has no group.",
    "loss": "The loss of the partition differs from the loss in the file.",
    "duals": "A group has an SSE below the sum of its duals.",
    "bound": "The bound that the duals prove differs from the file, or exceeds the loss.",
}


@dataclass(frozen=True)
class Verification:
    """The verified loss and bound of a record; the bound is None if it was not checked."""

    name: str
    loss: float
    bound: float | None
    cpu_seconds: float


def verify(record: Record, bounds: bool = True) -> Verification:
    """Verify a record; raise `NotVerified` if it is not valid.

    Parameters
    ----------
    record : Record
        The record to verify.
    bounds : bool
        Whether to search for groups that violate the duals, which takes from a second to many
        minutes. Otherwise only the sum of the duals is compared with the bound.

    Returns
    -------
    Verification
        The verified loss and bound, and the CPU seconds spent.
    """
    start, X = time.process_time(), scaled_table(record.table)
    try:
        loss = check_partition(X, record.k, record.labels)
    except NotAPartition:
        raise NotVerified(record.name, "labels") from None
    if abs(loss - record.loss) > TOLERANCE * loss:
        raise NotVerified(record.name, "loss")
    certificate = record.certificate
    if not certificate.is_well_formed(len(X)):
        raise NotVerified(record.name, "duals")
    bound = certificate.bound()
    if abs(bound - record.bound) > TOLERANCE * bound or bound > loss * (1 + TOLERANCE):
        raise NotVerified(record.name, "bound")
    if not bounds:
        return Verification(record.name, loss, None, time.process_time() - start)
    if check_duals(X, record.k, certificate) < 0:
        raise NotVerified(record.name, "duals")
    return Verification(record.name, loss, bound, time.process_time() - start)
