"""Whether recoded values are what the plan says, computed value by value."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from fuzz import promises
from fuzz.alike import alike, is_missing_word, number_of
from fuzz.counter import View, key


def recode_problems(
    step: promises.Document, name: str, old: Sequence[Any], new: Sequence[Any]
) -> Iterator[str]:
    """Yield what is wrong with a recoded column; None stands for a missing value.

    Some formats do not tell an empty text from a missing value, so empty texts are not judged.
    Words such as NA among numbers stand for missing values.
    """
    old = [
        None if is_missing_word(o) and alike(None, n) else o for o, n in zip(old, new, strict=True)
    ]
    for o, n in zip(old, new, strict=True):
        if (o is None and not alike(None, n)) or (
            not alike(None, o) and alike(None, n) and n != ""
        ):
            yield f"values: recode made values of {name!r} missing, or the reverse"
            return
    pairs = [(o, n) for o, n in zip(old, new, strict=True) if not alike(None, o)]
    image: dict[str, set[str]] = {}
    for o, n in pairs:
        image.setdefault(key(o), set()).add(key(n))
    if any(len(labels) > 1 for labels in image.values()):
        yield f"values: recode gave two new values to one value of {name!r}"
    other = step.get("other", "other")
    counts = Counter(key(n) for _, n in pairs)
    rare = [n for _, n in pairs if counts[key(n)] < step.get("min_count", 1)]
    if any(not alike(other, n) for n in rare):
        yield f"values: recode left a rare value of {name!r}"
    if "bands" in step and "min_count" not in step:
        bands: dict[str, list[float]] = {}
        for o, n in pairs:
            bands.setdefault(key(n), []).append(number_of(o) or 0.0)
        of_one = [{_band(step["bands"], o) for o in members} for members in bands.values()]
        expected = set().union(*of_one)
        if len(bands) != len(expected) or any(len(numbers) > 1 for numbers in of_one):
            yield f"values: recode cut {name!r} at other limits"
    if "mapping" in step:
        for o, n in pairs:
            wanted = _mapped(step, o, other)
            if not (alike(wanted, n) or ("min_count" in step and alike(other, n))):
                yield f"values: recode mapped a value of {name!r} to another one"
                return


def pram_problems(
    step: promises.Document, name: str, before: View, new: Sequence[Any]
) -> Iterator[str]:
    """Yield what is wrong with a post-randomised column: values are those of the same stratum."""
    within = promises.as_list(step.get("within"))
    known: dict[tuple[str, ...], dict[str, Any]] = {}
    strata = [tuple(key(before[one][at]) for one in within) for at in range(len(new))]
    for stratum, value in zip(strata, before[name], strict=True):
        known.setdefault(stratum, {})[key(value)] = value
    for stratum, old, now in zip(strata, before[name], new, strict=True):
        if is_missing_word(old) and alike(None, now):
            continue
        if (old is None and not alike(None, now)) or (not alike(None, old) and alike(None, now)):
            if "" not in known[stratum].values():  # in some formats a missing value
                yield f"values: pram made values of {name!r} missing, or the reverse"
                return
        elif key(now) not in known[stratum] and not any(
            alike(one, now) for one in known[stratum].values()
        ):
            yield f"values: pram gave a value of {name!r} that its stratum does not have"
            return


def is_local(step: promises.Document, name: str) -> bool:
    """Return whether a microaggregation releases an ancestor or a range of a column."""
    aggregate = step.get("aggregate", "mean")
    chosen = aggregate if isinstance(aggregate, str) else aggregate.get(name, "mean")
    return chosen in ("ancestor", "range")


def local_problems(
    plan: promises.Document, name: str, old: Sequence[Any], new: Sequence[Any]
) -> Iterator[str]:
    """Yield what is wrong with a column of ancestors or ranges: each covers what a value was."""
    declared = plan.get("types", {}).get(name)
    rows = declared.get("hierarchy", []) if isinstance(declared, dict) else []
    parents = {str(row[0]): row[1:] for row in rows}
    for o, n in zip(old, new, strict=True):
        if alike(None, o) or is_missing_word(o) or alike(None, n):
            continue
        if not (is_ancestor(n, o) or n in parents.get(str(o), []) or _in_range(n, o)):
            yield f"values: {name!r} shows an ancestor or a range of another value"
            return


def is_ancestor(new: Any, old: Any) -> bool:
    """Return whether a value is what it was, empty, the root, or a prefix of what it was."""
    if alike(None, new) or str(new).strip() == "*" or alike(old, new):
        return True
    return isinstance(old, str) and str(old).startswith(str(new))


def _in_range(new: Any, old: Any) -> bool:
    """Return whether a number is within a range such as 3-5 or -3 to 5."""
    value, text = number_of(old), str(new).strip()
    cuts = [at for at, sign in enumerate(text) if sign == "-" and at]
    ends = [text.split(" to ")] if " to " in text else [[text[:at], text[at + 1 :]] for at in cuts]
    for low, high in (map(number_of, pair) for pair in ends):
        if None not in (value, low, high) and low <= value <= high:
            return True
    return False


def _band(limits: Sequence[float], value: float) -> int:
    return sum(value >= limit for limit in limits)


def _mapped(step: promises.Document, value: Any, other: str) -> Any:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    kept = value if step.get("unmapped", "keep") == "keep" else other
    return step["mapping"].get(text, kept)
