"""The form says what the signatures say, and a filled one makes the plan that was meant."""

import pytest

from raising import raises
from shoal import Plan
from shoal import _params as parameters
from shoal.app import form
from shoal.app.sessions import Session
from shoal.errors import ParameterError
from shoal.partitioners import METHODS, partitioner
from shoal.partitioners.registry import EFFORTS
from shoal.steps import STEPS, Microaggregate

COLUMNS = [
    {"name": "<b>name</b>", "role": "identifier"},
    {"name": "age", "role": "quasi-identifier"},
    {"name": "school", "role": "quasi-identifier"},
    {"name": "income", "role": "confidential"},
    {"name": "town", "role": None},
]


def filled(**more):
    settings = {**form.first_settings(COLUMNS), "k": "3"}
    return settings | {name.replace("__", ":"): text for name, text in more.items()}


def test_suggested_roles_stand_in_the_form_and_k_does_not():
    settings = form.first_settings(COLUMNS)
    assert settings["role:1"] == "quasi-identifier"
    assert settings["role:4"] == ""
    assert settings["k"] == ""
    with raises(ParameterError, "k-not-a-number"):
        form.plans(settings, COLUMNS)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in EFFORTS])
@pytest.mark.parametrize("effort", ["", *EFFORTS])
def test_every_method_and_effort_can_be_chosen(method, effort):
    if method == "auto" and effort:
        expected = partitioner("mdav", {"k": 2, "effort": effort})
    else:
        expected = partitioner(method, {"k": 2, "effort": effort or None})
    (plan,) = form.plans(filled(k="2", method=method, effort=effort), COLUMNS)
    step = Microaggregate(["age", "school"], expected)
    roles = {"<b>name</b>": "identifier", "income": "confidential"}
    roles |= {"age": "quasi-identifier", "school": "quasi-identifier"}
    roles |= {column["name"]: "unassigned" for column in COLUMNS if column["name"] not in roles}
    assert plan == Plan(roles, [step])


NEEDED = {  # fields of steps that have no default
    "recode": {"min_count": "3"}, "pram": {"stay": "0.8"}, "rank-swap": {"percent": "5"},
    "add-noise": {"amount": "0.1"}, "top-bottom-code": {"top_share": "0.1"},
    "round": {"base": "10"},
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_every_step_can_be_chosen(name):
    more = {f"step:{name}:{option}": text for option, text in NEEDED.get(name, {}).items()}
    settings = form.known_only({**filled(what=name), **more}, COLUMNS)
    (plan,) = form.plans(settings, COLUMNS)
    (step,) = plan.steps
    assert type(step) is STEPS[name]
    assert step.columns == ["age", "school"]
    declared = parameters.signature_parameters(STEPS[name])
    if "partitioner" in declared:
        assert step.partitioner.k == 3
    else:
        assert step.k == (3 if "k" in declared else None)
    fields = form.catalogue()["of_step"].get(name, form.catalogue()["step"])
    shown = {field.name.rpartition(":")[2] for field in fields}
    assert set(declared) - {"columns", "partitioner", "within", "k"} <= shown


def test_levels_become_hierarchies_where_the_step_uses_them():
    chosen = filled(what="generalise", levels__1="intervals: 5, 10", levels__2="prefixes: 2,1")
    (plan,) = form.plans(form.known_only(chosen, COLUMNS), COLUMNS)
    assert plan.types["age"].intervals == (5, 10)
    assert plan.types["school"].prefixes == (2, 1)
    (plan,) = form.plans({**chosen, "what": "suppress"}, COLUMNS)
    assert plan.types == {}
    suggested = [{**COLUMNS[1], "hierarchy": {"periods": ["month", "year"]}}]
    assert form.first_settings(suggested)["levels:0"] == "periods: month, year"
    for text, code in (
        ("steps: 3", "levels-not-a-rule"),
        ("intervals: few", "intervals-not-widths"),
    ):
        with raises(ParameterError, code, column="age"):
            form.plans({**chosen, "levels:1": text}, COLUMNS)
    with raises(ParameterError, "step-without-strata", columns=("town",)):
        form.plans({**chosen, "role:4": "stratum"}, COLUMNS)
    with raises(ParameterError, "unknown-step"):
        form.plans({**chosen, "what": "<b>"}, COLUMNS)


def test_every_parameter_of_step_method_and_effort_has_a_field():
    entries = form.catalogue()
    named = {field.name for field in entries["step"]}
    assert named - {"shuffle"} == {
        f"step:{name}"
        for name in parameters.signature_parameters(Microaggregate)
        if name not in ("columns", "partitioner", "within")
    }
    for kind, classes in (("method", METHODS), ("effort", EFFORTS)):
        for name, fields in entries[f"of_{kind}"].items():
            known = set(parameters.signature_parameters(classes[name])) - {"k", "method", "n_jobs"}
            assert {field.name for field in fields} == {f"{kind}:{name}:{one}" for one in known}


def test_what_the_form_shows_at_first_is_what_happens_without_it():
    plain = form.plans(filled(), COLUMNS)
    shown = {
        field.name: field.default
        for several in [form.catalogue()["step"], form.catalogue()["of_method"]["sorted"]]
        for field in several
        if field.choices
    }
    assert len(shown) >= 7
    assert form.plans(filled() | shown, COLUMNS) == plain


def test_fields_become_parameters_and_columns_become_strata_and_types():
    (plan,) = form.plans(
        filled(
            method="vmdav",
            method__vmdav__gamma="0.5",
            method__cvmdav__gamma="9",
            step__decimals="1",
            step__missing="drop",
            role__4="stratum",
            kind__2="ordinal",
            order__2="none, some,much",
        ),
        COLUMNS,
    )
    entry = plan.to_dict()
    (step,) = entry["steps"]
    assert step["partition"] == {"method": "vmdav", "k": 3, "gamma": 0.5}
    assert (step["decimals"], step["missing"], step["within"]) == (1, "drop", ["town"])
    assert entry["roles"]["town"] == "quasi-identifier"
    assert entry["types"]["school"]["order"] == ["none", "some", "much"]


@pytest.mark.parametrize(("chosen", "shuffled"), [("random", True), ("as in the file", False)])
def test_the_order_of_the_records_can_be_chosen(chosen, shuffled):
    settings = form.known_only(filled(shuffle=chosen), COLUMNS)
    assert [plan.shuffle for plan in form.plans(settings, COLUMNS)] == [shuffled]


def test_several_k_make_several_plans():
    assert [plan.k for plan in form.plans(filled(k="3, 5 10,5"), COLUMNS)] == [3, 5, 10]


@pytest.mark.parametrize(
    ("change", "code", "attributes"),
    [
        ({"k": "0"}, "parameter-not-accepted", {"parameter": "k"}),
        ({"k": "-3"}, "k-not-a-number", {}),
        ({"k": "x"}, "k-not-a-number", {}),
        ({"k": "9" * 400}, "k-not-a-number", {}),
        ({"k": " ".join(map(str, range(2, 40)))}, "too-many-sizes", {"sizes": 38}),
        ({"method": "<b>"}, "unknown-method", {"given": "<b>"}),
        ({"effort": "much"}, "unknown-effort", {"given": "much"}),
        ({"role__1": "hero"}, "unknown-role", {}),
        ({"role__1": "", "role__2": ""}, "nothing-masked", {}),
        ({"step__dependence": "2"}, "parameter-not-accepted", {"parameter": "dependence"}),
        ({"step__decimals": "1e99"}, "parameter-not-accepted", {"parameter": "decimals"}),
        (
            {"effort": "search", "effort__search__budget": "-1"},
            "parameter-not-accepted",
            {"parameter": "budget"},
        ),
        ({"kind__1": "colour"}, "unknown-kind", {"column": "age"}),
    ],
)
def test_what_makes_no_plan_is_refused(change, code, attributes):
    with raises(ParameterError, code, **attributes):
        form.plans(filled(**change), COLUMNS)


def test_what_the_form_has_no_field_for_is_left_at_the_door():
    given = {"k": " 3 ", "role:1": "", "role:99": "x", "<b>name</b>": "x", "step:columns": "x"}
    assert form.known_only(given, COLUMNS) == {"k": "3", "role:1": ""}


def test_settings_are_undone_and_done_again(tmp_path):
    session = Session(tmp_path / "one")
    session.change({"k": "3"})
    session.change({"k": "3"})  # nothing changed: nothing to undo
    session.change({"k": "5"})
    session.undo()
    assert session.settings == {"k": "3"}
    session.redo()
    session.redo()
    assert session.settings == {"k": "5"}
    session.undo()
    session.change({"k": "7"})
    assert session.future == []
    for _ in range(5):
        session.undo()
    assert session.settings == {}
