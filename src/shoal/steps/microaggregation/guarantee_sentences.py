"""What a microaggregation guarantees, in sentences for the report."""

from typing import TYPE_CHECKING

from shoal.steps.constraints.privacy_constraint import constraint_sentences

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate


def describe_guarantee(step: "Microaggregate") -> str:
    """Return what a step guarantees: k and what it counts, l-diversity and t-closeness."""
    noise_sentence = (
        "Where all records of a group shared a confidential value, noise was added (amount"
        f" {step.noise:g}); the released values remain near the shared one, so membership of the"
        " group still discloses it approximately."
    )
    return _join_sentences(step, noise_sentence)


def former_guarantees(step: "Microaggregate") -> tuple[str, ...]:
    """Return what a step guaranteed in the words of earlier versions."""
    noise_sentence = (
        f"Confidential values that all records of a group shared got noise of {step.noise:g};"
        " members of such a group still have about these values."
    )
    return (_join_sentences(step, noise_sentence),)


def _join_sentences(step: "Microaggregate", noise_sentence: str) -> str:
    """Return the guarantee; ``noise_sentence`` ends it if the step adds noise."""
    scope = " in each block of columns" if len(step.column_blocks) > 1 else ""
    sentences = [f"Microaggregation gives k-anonymity with k = {step.k}{scope}."]
    if step.whole_households:
        sentences.append(f"Each class holds whole households, at least {step.k} of them.")
    elif step.household is not None:
        sentences.append(f"Each class holds records of at least {step.k} households.")
    elif step.unit is not None:
        sentences.append(f"Each class holds records of at least {step.k} units of {step.unit!r}.")
    sentences += constraint_sentences(step)
    if step.homogeneity == "noise":
        sentences.append(noise_sentence)
    return " ".join(sentences)
