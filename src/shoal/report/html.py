"""A summary as a self-contained HTML page."""

import re
from functools import cache
from typing import Any, NamedTuple

from shoal.plan.findings.phrases import format_share
from shoal.report import figures, maps
from shoal.report.draw import Figure
from shoal.report.layout import by_reason, numbers, short_number, short_statistic, tables, unit_for
from shoal.report.text import one_line

BREAK_MARKS = "_.-/"  # characters after which a name may break
MAX_LETTERS = 20  # letters of a part of a name
MAX_UNBROKEN_LETTERS = 12  # letters of a name that is never broken
NO_BREAK_SPACE = "\u00a0"
_PLAN_BLOCK = re.compile(r"((?:<|&lt;)pre(?:>|&gt;).*?(?:<|&lt;)/pre(?:>|&gt;))", re.DOTALL)
MEASURE_LABELS = {
    "l_diversity": "l-diversity",
    "t_closeness": "t-closeness",
    "p_sensitivity": "p-sensitivity",
    "il1s": "IL1s",
    "euclidean": "Euclidean",
    "reidentification": "re-identification",
    "std_ratio": "ratio of standard deviations",
    "distortion_x": "distortion X",
    "distortion_y": "distortion Y",
    ": sd": ": standard deviation",
    "hellinger": "Hellinger",
}


class ReportFigures(NamedTuple):
    """The figures of a report, by section."""

    protection_and_loss: list[Figure]
    columns: list[Figure]
    correlations: list[Figure]
    associations: list[Figure]
    groups: list[Figure]


def render(summary: dict[str, Any]) -> str:
    """Return a summary as a page; names of columns and all other data are escaped."""
    values = {entry["name"]: entry["value"] for entry in summary["measures"]}
    values.pop("class_sizes")
    return page(
        "report.html",
        summary,
        line=one_line(summary),
        about={entry["name"]: entry for entry in summary["measures"]},
        drawn=report_figures(summary),
        numbers=numbers(values),
        tables=tables(values),
        hierarchy_figures=[figures.hierarchy(entry) for entry in summary["hierarchies"]],
        unmeasured=by_reason(summary["remarks"]),
    )


def report_figures(summary: dict[str, Any]) -> ReportFigures:
    """Return the figures of a report."""
    values = {entry["name"]: entry["value"] for entry in summary["measures"]}
    profile = summary["pictures"]
    loss = values.get("information_loss")
    protection = [figures.class_sizes(values["class_sizes"], summary["promise"]["k"] or 1)]
    if loss is not None and "before" in profile:
        original_risk = profile["before"]["marketer"]
        release_risk = values["reidentification"]["marketer"]
        unit = summary["verdict"]["unit"]
        protection.append(
            maps.release_map(
                loss,
                original_risk,
                release_risk,
                summary["chance_ceiling"],
                unit,
                in_classes=summary["promise"]["k"] is not None,
            )
        )
    if loss is not None and "certified_gap" in values:
        protection.append(figures.proven_gap(loss, values["certified_gap"]))
    if summary["tradeoff"]:
        protection.append(maps.tradeoff_map(summary["tradeoff"]))
    correlations, associations = profile.get("correlations"), profile.get("associations")
    return ReportFigures(
        protection_and_loss=protection,
        columns=[figures.distribution(entry) for entry in profile.get("distributions", [])],
        correlations=figures.correlations(correlations) if correlations else [],
        associations=figures.associations(associations) if associations else [],
        groups=[maps.group_plane(entry) for entry in profile.get("groups", [])],
    )


def embedded(figure: Figure, id: str) -> str:
    """Return a figure for another page, which must include `styles`; ``id`` must be unique."""
    return page("embedded.html", figure=figure, id=id)


def styles() -> str:
    """Return the CSS of figures."""
    return page("colours.css") + page("picture.css")


def page(template: str, *content: dict[str, Any], **variables: Any) -> str:
    """Return a template, filled in and escaped."""
    return with_unbroken_percentages(
        str(_environment().get_template(template).render(*content, **variables))
    )


def with_unbroken_percentages(html: str) -> str:
    r"""Return a page in which no line breaks between a number and its per cent sign.

    A plan, in ``<pre>``, is left as it is: users copy it.

    Examples
    --------
    >>> with_unbroken_percentages("<p>20 %</p><pre>20 %</pre>")
    '<p>20\xa0%</p><pre>20 %</pre>'
    """
    parts = _PLAN_BLOCK.split(html)
    parts[::2] = [re.sub(r"(?<=\d) %", f"{NO_BREAK_SPACE}%", part) for part in parts[::2]]
    return "".join(parts)


def breakable_parts(name: Any) -> list[str]:
    """Return the parts of a name between which a line may break.

    Examples
    --------
    >>> breakable_parts("household_size"), breakable_parts("ln_wage")
    (['household_', 'size'], ['ln_wage'])
    """
    if len(str(name)) <= MAX_UNBROKEN_LETTERS:
        return [str(name)]
    parts = [""]
    length = 0  # of the present part since its last blank
    for letter in str(name):
        parts[-1] += letter
        length = 0 if letter == " " else length + 1
        if letter in BREAK_MARKS or length == MAX_LETTERS:
            parts.append("")
            length = 0
    return [part for part in parts if part]


def measure_label(name: str) -> str:
    """Return the name of a measure, or of a part of one, as the field writes it.

    Examples
    --------
    >>> measure_label("l_diversity"), measure_label("two_way_change: hellinger")
    ('l-diversity', 'two way change: Hellinger')
    """
    for name_part, label in MEASURE_LABELS.items():
        name = name.replace(name_part, label)
    return name.replace("_", " ")


def _unbroken_label(name: str) -> Any:
    """Return the label of a measure as HTML, in which no word breaks after a hyphen."""
    from markupsafe import Markup, escape

    return Markup(" ").join(
        Markup('<span class="whole">{}</span>').format(word) if "-" in word else escape(word)
        for word in measure_label(name).split(" ")
    )


@cache
def _environment() -> Any:
    """Return the environment that renders the templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=PackageLoader("shoal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable_parts"] = breakable_parts
    environment.filters["shown"] = short_number
    environment.filters["statistic"] = short_statistic
    environment.filters["share"] = format_share
    environment.filters["label"] = measure_label
    environment.filters["measure"] = _unbroken_label
    environment.filters["unit"] = unit_for
    return environment
