"""The first page: a picture of groups, and a card for every section."""

import shoal
from making import draw

REGION, K = "islands", 5
CARDS = (
    ("Start", "start/index.html", "From installation to a release that you can sign for."),
    ("Choose", "choose/index.html", "From data and purpose to a method, k and effort."),
    ("Understand", "understand/index.html", "What disclosure is, and what k-anonymity provides."),
    ("Operate", "operate/index.html", "Files, plans, scheduled runs, verification."),
    ("Gallery", "gallery/index.html", "Worked examples, each with a picture."),
    ("Reference", "reference/index.html", "Every name, command and error code."),
    ("Development", "contribute.html", "How Shoal is built, how fast it is, how to contribute."),
)


def filled(index: str) -> str:
    """Return the first page with its picture and its cards in their places."""
    return index.replace("<!-- picture: groups -->", picture()).replace("<!-- cards -->", cards())


def picture() -> str:
    """Return the people of one region in groups, with what is released of each."""
    everybody = shoal.datasets.survey()
    here = everybody[everybody["region"] == REGION]
    columns = here[["age", "height"]].to_numpy(float)
    X = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    labels = shoal.partition(X, K, "auto").labels
    canvas = draw.Canvas(X, square=False)
    draw.groups(canvas, X, labels)
    caption = (
        f"The {len(X)} people of one region by age and height, in groups of at least {K}. The"
        " crosses are the group means: they are released in place of the dots."
    )
    return draw.figure(canvas.svg("Records in groups, with the mean of each group"), caption)


def cards() -> str:
    """Return a link with a sentence for every section."""
    return "\n".join(
        f'<a class="card" href="{address}"><b>{name}</b><span>{text}</span></a>'
        for name, address, text in CARDS
    )
