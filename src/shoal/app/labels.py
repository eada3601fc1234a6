"""Labels of roles, kinds of values, steps, methods and options on the page."""

from typing import NamedTuple


class Choice(NamedTuple):
    """A label for a list, and a sentence that explains it."""

    label: str
    help: str


# Roles, and what happens to such a column; strata are quasi-identifiers that are not masked.
ROLES = {
    "": Choice("not decided", "Released unchanged, with a warning. Decide before you publish."),
    "identifier": Choice(
        "identifier: dropped", "Identifies one person, such as a name or a number."
    ),
    "quasi-identifier": Choice(
        "quasi-identifier: masked", "Others may know it about a person, such as age or town."
    ),
    "stratum": Choice(
        "quasi-identifier: splits the groups",
        "Others may know it; it is released unchanged, and no group spans two of its values.",
    ),
    "confidential": Choice(
        "confidential: kept", "What an attacker must not learn about a person, such as income."
    ),
    "non-confidential": Choice(
        "not confidential: kept", "Neither known to others nor secret; released unchanged."
    ),
    "weight": Choice(
        "survey weight: kept", "How many persons a record stands for; means are weighted with it."
    ),
    "unit": Choice(
        "person or firm: k counts these; dropped",
        "The same value marks all records of one person or firm.",
    ),
    "household": Choice(
        "household: k counts these; dropped", "The same value marks all members of a household."
    ),
}

KINDS = {
    "numeric": "numbers",
    "ordinal": "ordered categories",
    "nominal": "categories",
    "boolean": "yes or no",
    "date": "dates",
}

TYPES = {  # of an inspected column
    "whole": "whole numbers",
    "number": "numbers",
    "text": "text",
    "date": "dates",
    "yes/no": "yes or no",
}

STEPS = {
    "microaggregate": Choice(
        "Microaggregate", "Similar records form groups of at least k; each gets the group's means."
    ),
    "swap": Choice(
        "Swap within groups", "Values change places at random within groups of similar records."
    ),
    "hybridise": Choice(
        "Hybrid data",
        "Means of groups plus random noise, with exactly the covariances of each group.",
    ),
    "rank-swap": Choice(
        "Rank swapping", "Each value changes places with one of similar rank. Guarantees no k."
    ),
    "add-noise": Choice("Add noise", "Adds normally distributed random numbers. Guarantees no k."),
    "top-bottom-code": Choice(
        "Top and bottom coding", "The largest or the smallest values become one value."
    ),
    "round": Choice("Round", "Values become multiples of a base. Guarantees no k."),
    "suppress": Choice(
        "Suppress cells", "Empties as few cells as possible until every class has k records."
    ),
    "generalise": Choice(
        "Generalise", "Recodes each column to one level of its hierarchy, with the least loss."
    ),
    "recode": Choice("Recode by hand", "Replaces values by categories that you name."),
    "pram": Choice(
        "Post-randomise (PRAM)", "Changes categories at random with known probabilities."
    ),
}

METHODS = {
    "auto": Choice(
        "Automatic",
        "Shoal chooses the method by the size of the table; each run states which one.",
    ),
    "centroid-mdav": Choice("CBFS", "Groups of k that grow around their centroid."),
    "cvmdav": Choice("CV-MDAV", "Groups of k to 2k − 1 records, centroid-based."),
    "dba1": Choice("DBA-1", "Forms groups in the densest regions first."),
    "dba2": Choice("DBA-2", "DBA-1, then groups are dissolved where that lowers the loss."),
    "lloyd": Choice("Constrained Lloyd", "Moves records between groups as k-means does."),
    "md": Choice("MD", "Repeatedly forms two groups around the two most distant records."),
    "mdav": Choice("MDAV", "The standard method: groups of k, from the extremes inwards."),
    "mdav1": Choice("MDAV1", "MDAV that forms groups in pairs until the end."),
    "mdav2": Choice("MDAV2", "MDAV1, then groups are dissolved where that lowers the loss."),
    "mdav-classic": Choice("Classic MDAV", "The first published form of MDAV."),
    "mhm": Choice("MHM", "Visits all records along a path and cuts the path in the best places."),
    "mst": Choice("Spanning tree", "Groups along the shortest tree that joins all records."),
    "mu-approx": Choice("μ-Approx", "Groups from trees of near records, with a proven bound."),
    "mward": Choice("Ward", "Ward's clustering, modified so that groups stay small."),
    "optimal": Choice("Optimal", "The smallest possible loss; for small tables only."),
    "sorted": Choice("Sorted", "Groups neighbours along one score. Fast, but with a high loss."),
    "tfrp": Choice("TFRP", "Starts from two fixed reference points."),
    "threshold": Choice("Threshold clustering", "No group is much wider than it must be."),
    "two-mu-approx": Choice("2-μ-Approx", "Pairs and triples with a proven bound; k = 2."),
    "univariate": Choice("One column, optimal", "The smallest possible loss for a single column."),
    "vmdav": Choice("V-MDAV", "Groups of k to 2k − 1 records, for data in clusters."),
    "blocked": Choice("In blocks", "Splits a long table into blocks of near records first."),
}

EFFORTS = {
    "": Choice("as the method suggests", "What Shoal does by default after this method."),
    "quick": Choice("none", "Only the method."),
    "refine": Choice("refine", "Exchanges records between groups until no small change helps."),
    "search": Choice("search", "Simulated annealing: takes longer and loses less."),
    "prove": Choice("prove", "Searches, and proves how far the loss is from the minimum."),
}

# Options that messages mention and that have no generated field. Each text completes “Use …” or
# “See …” in a message.
OPTIONS = {
    "within": "the role “quasi-identifier: splits the groups”",
    "unit": "“What k counts”",
    "household": "the role “household”",
    "weight": "the role “survey weight”",
    "identifiers": "the role “identifier”",
    "confidential": "the role “confidential”",
    "columns": "the role “quasi-identifier: masked”",
    "types": "“Values are” under “Details” of the column",
    "importance": "“Importance” under “Details” of the columns",
    "missing_codes": "“Codes for missing values” under “Details” of the column",
    "missing_text": "“Sign for a missing value” when you load the file",
    "separator": "“Separator”",
    "decimal": "“Decimal mark”",
    "encoding": "“Character set”",
    "sheet": "“Sheet”",
    "k": "“k”",
    "method": "“Method”",
    "partitioner": "“Method”",
    "effort": "“Effort after the method”",
    "mark_formulas": "an apostrophe before these cells",
    "allow_not_kept": "the command line",
    "memory_limit": "the command line, where the limit can be raised",
    "n_jobs": "the command line",
    "layout": "the command line, which reads a description of the columns",
    "table": "the command line, which reads one table of such a file",
    "target_table": "the command line",
    "force": "another name",
    "manifest": "the manifest",
    "sign": "the command line, which signs manifests",
    "hash_key": "the key of the manifest",
    "other_columns": "a role for every column",
    "edits": "the command line, which checks rules between columns",
    "repair": "the command line, which checks rules between columns",
    "matrix": "the command line, which takes a matrix of your own",
}
VALUES = {
    "unit": {"record": "“What k counts: records, even if identifiers repeat”"},
    "shuffle": {"True": "“Order of the records: random”"},
    "separator": {"\t": "“Separator: tab”"},
    "layout": {"map.toml": "the command line, which reads a description of the columns"},
    "mark_formulas": {"True": "the command line, which can put an apostrophe in front of them"},
    "force": {"True": "another name"},
    "other_columns": {
        "drop": "the role “identifier” for the other columns",
        "release": "a role for the other columns",
    },
}
