"""Verify the files of the cells."""

import time
from dataclasses import dataclass

from reproduction.records.record import Record, scaled_table
from reproduction.records.verifier import NotAPartition, check_duals, check_partition

TOLERANCE = 1e-9  # relative difference that rounding may cause


class NotVerified(ValueError):
    """A record does not hold; ``code`` is what is wrong: labels, loss, duals or bound."""

    def __init__(self, name: str, code: str):
        super().__init__(f"{name}: {MESSAGES[code]}")
        self.name, self.code = name, code


MESSAGES = {
    "labels": "A group has fewer than k records, or a record has no group.",
    "loss": "The partition has another loss than the file says.",
    "duals": "A group has an SSE below the sum of its duals.",
    "bound": "The duals prove another bound than the file says, or it exceeds the loss.",
}


@dataclass(frozen=True)
class Verification:
    """The verified loss and bound of a record; the bound is None if it was not checked."""

    name: str
    loss: float
    bound: float | None
    cpu_seconds: float


def verify(record: Record, bounds: bool = True) -> Verification:
    """Verify a record; raise `NotVerified` if it does not hold.

    Parameters
    ----------
    record : Record
        The record.
    bounds : bool
        Whether to search for groups that violate the duals, which takes from a second to many
        minutes. Otherwise it is only checked that the duals add up to the bound.

    Returns
    -------
    Verified
        The loss and the bound.
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
