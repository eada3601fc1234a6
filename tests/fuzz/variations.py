"""Variations of a random plan, each drawn from a stream of its own."""

from fuzz.columns import Column, Rng
from fuzz.plans import Document

RECODABLE = ("suppress", "round", "top-bottom-code")  # the steps that a recoding may replace


def generalise_some(rng: Rng, columns: list[Column], plan: Document) -> None:
    """Put generalisations in the place of some suppressions, with prefixes of some texts."""
    kinds = {column.name: column.kind for column in columns}
    for step in plan["steps"]:
        if step["method"] == "suppress" and rng.random() < 0.4:
            step["method"] = "generalise"
            if rng.random() < 0.7:
                step["suppression"] = float(rng.choice([0.05, 0.2, 0.5]))
            if rng.random() < 0.3:
                step["loss"] = "entropy"
            texts = [name for name in step["columns"] if kinds[name] == "text"]
            for name in texts:
                types = plan.setdefault("types", {})
                if rng.random() < 0.5 and types.get(name, "nominal") == "nominal":
                    types[name] = {"kind": "nominal", "prefixes": [4, 2]}
            _vary_generalisation(step, plan)


def _vary_generalisation(step: Document, plan: Document) -> None:
    """Give options to some generalisations, by the names of columns: no further random number."""
    letter = step["columns"][0][-1:]
    if letter in "aeiou1357":
        step["loss"] = "discernibility"
    if letter in "bcdf024":
        step["max_nodes"] = 3
    secret = [name for name, role in plan.get("roles", {}).items() if role == "confidential"]
    if secret and len(plan["steps"]) == 1:
        if letter in "ghijklmn1234":
            step |= {"diversity": 1.5, "diversity_kind": "entropy"}
        elif letter in "aeop05":
            step["diversity"] = 2.0
        else:
            step["closeness"] = 0.5


def vary_suppressions(rng: Rng, plan: Document) -> None:
    """Give options to some suppressions: weights of columns, what a missing cell is, effort."""
    for step in plan["steps"]:
        if step["method"] != "suppress":
            continue
        if rng.random() < 0.3:
            step["missing_means"] = "any"
        if rng.random() < 0.4:
            weights = [float(w) for w in rng.choice([0.0, 0.5, 1.0, 3.0], len(step["columns"]))]
            weights[0] = weights[0] or 2.0
            named = dict(zip(step["columns"], weights, strict=True))
            step["importance"] = weights if rng.random() < 0.5 else named
        if rng.random() < 0.4:
            step["effort"] = "refine"


def recode_some(rng: Rng, columns: list[Column], plan: Document) -> None:
    """Put recodings by hand in the place of some steps on columns of any kind."""
    by_name = {column.name: column for column in columns}
    for step in plan["steps"]:
        if step["method"] not in RECODABLE or rng.random() > 0.35:
            continue
        names = step["columns"]
        step.clear()
        step |= {"method": "recode", "columns": names}
        values = [value for name in names for value in by_name[name].distinct]
        shape = str(rng.choice(["mapping", "bands", "rare"]))
        if shape == "bands" and all(by_name[name].numeric for name in names):
            step["bands"] = sorted({float(limit) for limit in rng.integers(-50, 80, 3)})
        elif shape == "mapping":
            named = [value for value in values if isinstance(value, str | int)][:4]
            texts = [
                str(value).lower() if isinstance(value, bool) else str(value) for value in named
            ]
            new = [str(rng.choice(["7", "new", texts[0]])) for _ in texts]
            step["mapping"] = dict(zip(texts, new, strict=True)) or {"a": "b"}
            step["unmapped"] = str(rng.choice(["keep", "keep", "other", "refuse"]))
        if len(step) == 2 or rng.random() < 0.3:
            step["min_count"] = int(rng.integers(2, 6))


def randomise_some(rng: Rng, plan: Document) -> None:
    """Put post-randomisation in the place of some steps on columns of any kind."""
    for step in plan["steps"]:
        if step["method"] not in (*RECODABLE, "swap") or rng.random() > 0.3:
            continue
        names, within = step["columns"], step.get("within")
        step.clear()
        step |= {"method": "pram", "columns": names, "stay": float(rng.choice([0, 0.5, 0.9]))}
        step |= {} if within is None else {"within": within}
        step |= {"invariant": False} if rng.random() < 0.3 else {}
        step |= {"joint": True} if rng.random() < 0.3 else {}
        step |= {"random_state": int(rng.integers(2**31))} if rng.random() < 0.9 else {}


def chain_some(rng: Rng, columns: list[Column], plan: Document) -> None:
    """Put a further step on columns of a step into some plans, before or after it."""
    if rng.random() > 0.2:
        return
    step = plan["steps"][int(rng.integers(len(plan["steps"])))]
    number = int(rng.integers(1, len(step["columns"]) + 1))
    names = [str(name) for name in rng.permutation(step["columns"])[:number]]
    numeric = {column.name for column in columns if column.numeric}
    methods = ["suppress", "recode", "generalise", "microaggregate"]
    if all(name in numeric for name in names):
        methods += ["top-bottom-code", "round", "add-noise", "top-bottom-code", "round"]
    method, k = str(rng.choice(methods)), int(rng.integers(2, 5))
    options: dict[str, Document] = {
        "suppress": {"k": k},
        "generalise": {"k": k},
        "recode": {"min_count": int(rng.integers(2, 5))},
        "microaggregate": {"partition": {"method": "mdav", "k": k}},
        "top-bottom-code": {"top_share": 0.2},
        "round": {"base": float(rng.choice([1, 5, 10]))},
        "add-noise": {"amount": 0.1, "random_state": int(rng.integers(2**31))},
    }
    new = {"method": method, "columns": names, **options[method]}
    _vary_chained(new)
    if method == "microaggregate" and rng.random() < 0.7:
        new["missing"] = str(rng.choice(["own-groups", "impute"]))
    at = plan["steps"].index(step)
    plan["steps"].insert(at + int(rng.random() < 0.6), new)


def _vary_chained(step: Document) -> None:
    """Vary a further step by the name of its first column: no further random number."""
    letter = step["columns"][0][-1:]
    if letter in "aeiou1357" and step["method"] == "suppress":
        step["missing_means"] = "any"
    elif letter in "aeiou1357" and step["method"] == "generalise":
        step["suppression"] = 0.2
    elif letter in "bcdf024" and step["method"] == "recode":
        step |= {"method": "pram", "stay": 0.8, "random_state": 1}
        del step["min_count"]


def recode_locally(rng: Rng, columns: list[Column], plan: Document) -> None:
    """Let some microaggregations release the lowest common ancestor or the range of a group."""
    numeric = {column.name for column in columns if column.numeric}
    for step in plan["steps"]:
        if step["method"] != "microaggregate" or rng.random() > 0.15:
            continue
        names = step["columns"]
        step["aggregate"] = {
            name: str(rng.choice(["range", "range", "mean"])) if name in numeric else "ancestor"
            for name in names
            if rng.random() < 0.8
        }
        if rng.random() < 0.3:
            step["aggregate"] = "range" if set(names) <= numeric else "ancestor"
        step.pop("trim", None)
        if rng.random() < 0.3:
            step["refine_recoding"] = False
