"""The form follows from the signatures, and a completed form gives the intended plan."""

import ast
import re
from pathlib import Path

import pytest

import shoal
from raising import raises
from shoal import Plan
from shoal import _params as parameters
from shoal.app import form, labels
from shoal.app.field_descriptions import describe_field
from shoal.app.fields import PARAMETERS_WITHOUT_FIELD
from shoal.app.messages import message_of, page_wording
from shoal.app.sessions import Session
from shoal.errors import ParameterError
from shoal.frame.roles import ROLES
from shoal.partitioners import METHODS, partitioner
from shoal.partitioners.registry import EFFORTS
from shoal.steps import STEPS, Microaggregate

SRC = Path(shoal.__file__).parent
COLUMNS = [
    {"name": "<b>name</b>", "role": "identifier"},
    {"name": "age", "role": "quasi-identifier"},
    {"name": "school", "role": "quasi-identifier"},
    {"name": "income", "role": "confidential"},
    {"name": "town", "role": None},
]


def filled(**more):
    settings = {**form.initial_settings(COLUMNS), "k": "3"}
    return settings | {name.replace("__", ":"): text for name, text in more.items()}


def own_fields(step):
    """Return the fields of a step."""
    entries = form.catalogue()
    groups = entries["microaggregation_fields"].values()
    return entries["step_fields"].get(step) or [field for group in groups for field in group]


def test_suggested_roles_stand_in_the_form_and_k_does_not():
    settings = form.initial_settings(COLUMNS)
    assert settings["role:1"] == "quasi-identifier"
    assert settings["role:4"] == ""
    assert settings["k"] == ""
    with raises(ParameterError, "k-not-a-number"):
        form.build_plans(settings, COLUMNS)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in EFFORTS])
@pytest.mark.parametrize("effort", ["", *EFFORTS])
def test_every_method_and_effort_can_be_chosen(method, effort):
    if method == "auto" and effort:
        expected = partitioner("mdav", {"k": 2, "effort": effort})
    else:
        expected = partitioner(method, {"k": 2, "effort": effort or None})
    (plan,) = form.build_plans(filled(k="2", method=method, effort=effort), COLUMNS)
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
    settings = form.select_known({**filled(step=name), **more}, COLUMNS)
    (plan,) = form.build_plans(settings, COLUMNS)
    (step,) = plan.steps
    assert type(step) is STEPS[name]
    assert step.columns == ["age", "school"]
    declared = parameters.signature_parameters(STEPS[name])
    if "partitioner" in declared:
        assert step.partitioner.k == 3
    else:
        assert step.k == (3 if "k" in declared else None)
    shown = {field.name.rpartition(":")[2] for field in own_fields(name)}
    assert set(declared) - PARAMETERS_WITHOUT_FIELD == shown


def test_every_parameter_of_method_and_effort_has_a_field():
    entries = form.catalogue()
    for kind, classes in (("method", METHODS), ("effort", EFFORTS)):
        for name, fields in entries[f"{kind}_fields"].items():
            known = set(parameters.signature_parameters(classes[name])) - PARAMETERS_WITHOUT_FIELD
            assert {field.name for field in fields} == {f"{kind}:{name}:{one}" for one in known}


def test_levels_become_hierarchies_where_the_step_uses_them():
    chosen = filled(
        step="generalise", rule__1="intervals", levels__1="5, 10", rule__2="prefixes",
        levels__2="2,1",
    )  # fmt: skip
    (plan,) = form.build_plans(form.select_known(chosen, COLUMNS), COLUMNS)
    assert plan.types["age"].intervals == (5, 10)
    assert plan.types["school"].prefixes == (2, 1)
    (plan,) = form.build_plans({**chosen, "step": "suppress"}, COLUMNS)
    assert plan.types == {}
    suggested = [{**COLUMNS[1], "hierarchy": {"periods": ["month", "year"]}}]
    first = form.initial_settings(suggested)
    assert (first["rule:0"], first["levels:0"]) == ("periods", "month, year")
    for change, code in (
        ({"rule:1": "steps"}, "levels-not-a-rule"),
        ({"levels:1": "few"}, "intervals-not-widths"),
        ({"rule:1": "file"}, "hierarchy-not-loaded"),
    ):
        with raises(ParameterError, code, column="age"):
            form.build_plans({**chosen, **change}, COLUMNS)
    with raises(ParameterError, "step-without-strata", columns=("town",)):
        form.build_plans({**chosen, "role:4": "stratum"}, COLUMNS)
    with raises(ParameterError, "unknown-step"):
        form.build_plans({**chosen, "step": "<b>"}, COLUMNS)


def test_levels_from_a_file_become_a_hierarchy():
    rows = [["a", "x", "*"], ["b", "x", "*"]]
    chosen = filled(step="generalise", rule__2="file", hierarchy__2="key", rule__1="intervals")
    chosen["levels:1"] = "5"
    (plan,) = form.build_plans(chosen, COLUMNS, {"key": {"name": "f.csv", "rows": rows}})
    assert plan.types["school"].hierarchy == tuple(map(tuple, rows))


def test_details_of_columns_become_types_codes_and_options_by_column():
    chosen = filled(
        kind__2="date", format__2="%d.%m.%Y", codes__1="98, 99", codes__3="7", importance__1="2",
        decimals__1="1", aggregate__1="median",
    )  # fmt: skip
    (plan,) = form.build_plans(form.select_known(chosen, COLUMNS), COLUMNS)
    assert plan.types["school"].format == "%d.%m.%Y"
    assert plan.missing_codes == {"age": ("98", "99")}  # those of a confidential column stay values
    (step,) = plan.steps
    assert step.column_weights == {"age": 2}
    assert (step.decimals, step.aggregate) == ({"age": 1}, {"age": "median"})
    shown = {"step:aggregate": "range"}
    (plan,) = form.build_plans({**chosen, **shown}, COLUMNS)
    assert plan.steps[0].aggregate == {"age": "median", "school": "range"}
    (plan,) = form.build_plans({**chosen, "step": "suppress"}, COLUMNS)
    assert plan.steps[0].importance == {"age": 2}
    with raises(ParameterError, "parameter-not-accepted", column="age"):
        form.build_plans({**chosen, "importance:1": "much"}, COLUMNS)


def test_an_inspection_fills_in_dates_missing_codes_and_what_happens_to_them():
    columns = [
        {"name": "born", "role": "quasi-identifier", "formats": ["%d/%m/%Y", "%m/%d/%Y"]},
        {"name": "age", "role": "quasi-identifier", "missing_codes": ["98"], "declare": ""},
        {"name": "sex", "role": "confidential", "declare": "nominal", "missing_codes": ["9"]},
    ]
    first = form.initial_settings(columns)
    assert (first["kind:0"], first["format:0"]) == ("date", "%d/%m/%Y")
    assert (first["codes:1"], first["step:missing"]) == ("98", "own-groups")
    assert not {"kind:2", "codes:2"} & set(first)


@pytest.mark.parametrize("role", ROLES)
def test_every_role_of_a_plan_can_be_chosen(role):
    chosen = filled(role__4="" if role == "unassigned" else role)
    (plan,) = form.build_plans(form.select_known(chosen, COLUMNS), COLUMNS)
    assert plan.roles["town"] == role


def test_k_counts_records_where_that_is_stated():
    (plan,) = form.build_plans(filled(counts="record"), COLUMNS)
    assert plan.unit == "record"
    (plan,) = form.build_plans(filled(role__4="unit"), COLUMNS)
    assert plan.unit == "town"


def test_steps_are_chained_in_the_order_in_which_they_were_added():
    chosen = filled(step="top-bottom-code", step_columns="1")
    chosen["step:top-bottom-code:top_share"] = "0.1"
    chosen = form.with_earlier_step(chosen, COLUMNS)
    assert "step:top-bottom-code:top_share" not in chosen
    assert "k" not in chosen
    plans = form.build_plans(form.select_known({**chosen, "k": "3, 5"}, COLUMNS), COLUMNS)
    assert [plan.k for plan in plans] == [3, 5]
    assert [(step.name, step.columns) for step in plans[0].steps] == [
        ("top-bottom-code", ["age"]),
        ("microaggregate", ["age", "school"]),
    ]
    (line,) = [form.describe_step(one, COLUMNS) for one in form.earlier_steps(chosen)]
    assert line == "Top and bottom coding: age"
    assert form.earlier_steps(form.without_earlier_step(chosen, 0)) == []
    with raises(ParameterError, "k-not-a-number"):
        form.with_earlier_step(filled(k=""), COLUMNS)
    for bad in ("no", "[1]", "{}"):
        with raises(ParameterError, "steps-malformed"):
            form.build_plans(filled(earlier_steps=bad), COLUMNS)


PYTHON = re.compile(
    r"[`_]|\bNone\b|\bTrue\b|\bint\b|\bfloat\b|shoal\.|--|==|\[\w|\w\(|Takes |parameter"
)


def shown_texts():
    """Yield all words that the form shows, except those of the data."""
    entries = form.catalogue()
    for kind in ("roles", "methods", "efforts", "steps"):
        for choice in entries[kind].values():
            yield from choice
    yield from entries["kinds"].values()
    for field in (*form.all_fields(), form.SHUFFLE):
        yield from (field.label, field.help, field.unit, field.group)
        yield from (label for _, label in field.choices)


def test_the_form_shows_no_python():
    assert [text for text in shown_texts() if PYTHON.search(text)] == []


def test_every_parameter_step_and_method_has_a_label_of_its_own():
    bare = [
        f"{owner}:{name}"
        for owner, cls in {**STEPS, **METHODS}.items()
        for name in parameters.signature_parameters(cls)
        if name not in PARAMETERS_WITHOUT_FIELD and describe_field(owner, name) is None
    ]
    assert bare == []
    assert set(labels.STEPS) == set(STEPS)
    assert set(labels.METHODS) == set(METHODS) - set(EFFORTS)
    assert set(labels.EFFORTS) == {"", "quick", *EFFORTS}


OPTION = re.compile(r"`([a-z_]+)(?:=([^`]*))?`")
SPOKEN = ["frame", "io", "geometry", "partitioners", "steps", "plan", "inspection"]


def options_in_messages():
    """Yield the options that messages mention, from the text of the modules that raise them."""
    for package in SPOKEN:
        for path in (SRC / package).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
                for text in (n for n in ast.walk(call) if isinstance(n, ast.Constant)):
                    if isinstance(text.value, str):
                        yield from OPTION.findall(text.value)


def test_every_option_in_a_message_is_a_field_of_the_page():
    options = set(options_in_messages())
    assert len(options) > 30
    worded = {option: page_wording(option[0], option[1] or None) for option in options}
    assert {o: text for o, text in worded.items() if PYTHON.search(text) or "=" in text} == {}
    known = {field.name.rpartition(":")[2] for field in form.all_fields()}
    known |= {*labels.OPTIONS, *labels.VALUES, "shuffle"}
    assert {name for name, _ in options} - known == set()


def test_an_error_of_a_parameter_is_worded_by_its_field():
    error = ParameterError("x", code="parameter-not-accepted", parameter="gamma", of="VMDAV")
    assert "“Growth of groups”" in message_of(error)
    with raises(ParameterError, "parameter-not-accepted") as caught:
        form.build_plans(filled(method="two-mu-approx"), COLUMNS)
    assert message_of(caught.value) == "This method is defined for k = 2 only."


def test_initial_values_of_the_form_are_the_defaults():
    plain = form.build_plans(filled(), COLUMNS)
    shown = {
        field.name: field.default
        for several in [own_fields("microaggregate"), form.catalogue()["method_fields"]["sorted"]]
        for field in several
        if field.choices
    }
    assert len(shown) >= 7
    assert form.build_plans(filled() | shown, COLUMNS) == plain


def test_fields_become_parameters_and_columns_become_strata_and_types():
    (plan,) = form.build_plans(
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


@pytest.mark.parametrize(("chosen", "shuffled"), [("true", True), ("false", False)])
def test_the_order_of_the_records_can_be_chosen(chosen, shuffled):
    settings = form.select_known(filled(shuffle=chosen), COLUMNS)
    assert [plan.shuffle for plan in form.build_plans(settings, COLUMNS)] == [shuffled]


def test_several_k_make_several_plans():
    assert [plan.k for plan in form.build_plans(filled(k="3, 5 10,5"), COLUMNS)] == [3, 5, 10]


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
def test_invalid_settings_are_refused(change, code, attributes):
    with raises(ParameterError, code, **attributes):
        form.build_plans(filled(**change), COLUMNS)


def test_unknown_fields_of_a_request_are_ignored():
    given = {"k": " 3 ", "role:1": "", "role:99": "x", "<b>name</b>": "x", "step:columns": "x"}
    assert form.select_known(given, COLUMNS) == {"k": "3", "role:1": ""}


def test_settings_can_be_undone_and_redone(tmp_path):
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
    assert session.redo_stack == []
    for _ in range(5):
        session.undo()
    assert session.settings == {}
