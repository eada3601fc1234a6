"""Exceptions and warnings: codes, attributes, wording for an interface, and pickling."""

import copy
import pickle
import re
import warnings
from functools import cache

import numpy as np
import pytest

from making import codes
from shoal import errors
from shoal._params import format_argument, hint
from shoal.errors import Coded, ParameterError, ShoalError, ShoalWarning

CLASSES = [
    value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Coded)
]
CODE = r"[a-z0-9]+(-[a-z0-9]+)*"
every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)

MESSAGE = "Column 'a' has 3 missing values. Use `missing=\"drop\"`, or lower `k`."


@every_class
@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy])
def test_every_error_can_be_pickled(cls, again):
    error = cls(MESSAGE, code="missing-values", column="a", filename="f.csv", name="n", count=3)
    error.add_note("while reading")

    copied = again(error)

    assert type(copied) is cls
    assert str(copied) == str(error)
    assert copied.args == error.args
    assert copied.code == "missing-values"
    assert (copied.column, copied.filename, copied.name, copied.count) == ("a", "f.csv", "n", 3)
    assert copied.attributes == error.attributes
    assert copied.__notes__ == ["while reading"]
    assert copied.message_for(upper_case_wording) == error.message_for(upper_case_wording)


@every_class
def test_python_callers_see_options_as_python_writes_them(cls):
    expected = "Column 'a' has 3 missing values. Use missing=\"drop\", or lower 'k'."
    assert str(cls(MESSAGE)) == expected
    assert repr(cls(MESSAGE)) == f"{cls.__name__}({expected!r})"
    assert str(cls("plain")) == "plain"


def test_an_interface_words_options_in_its_own_way():
    expected = "Column 'a' has 3 missing values. Use <MISSING \"drop\">, or lower <K>."
    assert ShoalError(MESSAGE).message_for(upper_case_wording) == expected


def test_what_is_no_option_keeps_its_backticks():
    assert str(ShoalError("Column `My Column` and `a b=c`.")) == "Column `My Column` and `a b=c`."


@every_class
def test_the_default_code_is_the_name_of_the_class(cls):
    assert cls("x").code == cls.code
    assert cls.code.replace("-", "") == cls.__name__.lower()
    assert cls.code == cls.code.lower()


def test_codes_of_classes_differ():
    assert len({cls.code for cls in CLASSES}) == len(CLASSES)


def test_a_code_belongs_to_one_exception_not_to_its_class():
    ParameterError("x", code="other")
    assert ParameterError("x").code == "parameter-error"


def test_a_warning_is_given_as_it_was_made():
    with pytest.warns(ShoalWarning) as caught:
        warnings.warn(errors.ConstantColumn("flat", columns=("a",)), stacklevel=1)
    assert caught[0].message.columns == ("a",)
    assert caught[0].message.code == "constant-column"


@cache
def sites():
    """Return the places that make an exception; reading all of the source takes a second."""
    return list(codes.sites())


def upper_case_wording(name, value):
    return f"<{name.upper()}>" if value is None else f"<{name.upper()} {value}>"


def test_every_exception_of_the_source_has_a_code():
    broad = {cls.__name__ for cls in (ShoalError, *ShoalError.__subclasses__())} - {"NotKept"}
    broad |= {cls.__name__ for cls in errors.InputError.__subclasses__()}
    without = [site for site in sites() if site.code is None and site.cls in broad]
    assert [f"{site.file}:{site.line}" for site in without] == []


def test_codes_are_words_joined_by_hyphens():
    given = {site.code for site in sites() if site.code is not None}
    odd = {code for code in given if re.fullmatch(CODE, code) is None}
    assert odd <= {"error.code", "finding.code", "self.code", "code"}  # known where they were made


def test_the_page_of_codes_names_every_code():
    text = codes.page()
    for site in sites():
        if re.fullmatch(CODE, site.code or ""):
            assert f"| `{site.code}` |" in text
    for cls in CLASSES[1:]:
        assert f"| `{cls.__name__}` | `{cls.code}` |" in text


@pytest.mark.parametrize(
    ("word", "expected"), [("mdva", " Did you mean 'mdav'?"), ("x", ""), (3, ""), (None, "")]
)
def test_misspelt_names_get_a_suggestion(word, expected):
    assert hint(word, ["mdav", "lloyd"]) == expected


def test_an_argument_in_a_message_is_short_and_no_data():
    assert format_argument("mdav") == "'mdav'"
    assert format_argument([1, "a", None]) == "[1, 'a', None]"
    assert format_argument(np.array([123.5])) == "a value of type ndarray"
    assert format_argument([np.array([123.5])]) == "a value of type list"
    assert len(format_argument("x" * 10_000)) < 300
