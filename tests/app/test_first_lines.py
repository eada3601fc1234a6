"""How a text file seems to be written, by its beginning."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.app import first_lines
from shoal.app.first_lines import DetectedFormat, detect_format
from shoal.io.dialect import Dialect


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,2\n", DetectedFormat()),
        ("a,b\n1.5,2\n", DetectedFormat()),
        ("a;b\n1,5;2\n", DetectedFormat("", ";", ",")),
        ("a;b\n1.5;2\n", DetectedFormat("", ";", "")),
        ("a;b\n1,5;2.5\n", DetectedFormat("", ";", "")),  # both marks: numbers of two kinds
        ("a\tb\n1\t2\n", DetectedFormat("", "\t", "")),
        ("a|b|c\n1|2|3\n", DetectedFormat("", "|", "")),
        ('a;b\n"x, y";2\n"z";3\n', DetectedFormat("", ";", "")),
        ("only\n1\n2\n", DetectedFormat()),
        ("a;b\n1,5;NA\nNA;x\n3;NA\n", DetectedFormat("", ";", ",", "NA")),
        ("a,b\n1,x\n.,y\n", DetectedFormat("", "", "", ".")),
        ("a;b\n1,5;NA\n2;.\n3;4\n", DetectedFormat("", ";", ",")),  # two words
        ("a,b\nNA,x\ny,NA\n", DetectedFormat()),  # words among words
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_separator_and_decimal_mark_are_recognised(content, expected, encoding):
    assert detect_format(content.encode(encoding)) == expected


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("latin-1", "latin-1"), ("cp1252", "cp1252"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16-le"),
     ("utf-16-be", "utf-16-be"), ("utf-8", "")],
)  # fmt: skip
def test_character_sets_are_recognised(encoding, name):
    text = "größe,name\n1,“a”\n" if encoding not in ("latin-1",) else "größe,name\n1,a\n"
    assert detect_format(text.encode(encoding)) == DetectedFormat(name)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(500), bytes(range(256)) * 9])
def test_binary_files_are_not_taken_for_text(content):
    assert detect_format(content) is None


def test_a_character_cut_at_the_end_of_the_sample_is_no_error():
    sample = ("a,bc\n" + "ö" * first_lines.SAMPLE).encode()[: first_lines.SAMPLE]
    with pytest.raises(UnicodeDecodeError):
        sample.decode()
    assert detect_format(sample) == DetectedFormat()


@given(content=st.binary(max_size=200))
def test_any_bytes_can_be_previewed(content):
    detected = detect_format(content)
    if detected is not None:
        text = first_lines.decode(content, detected.encoding or "utf-8")
        assert len(first_lines.split_lines(text, detected.separator or ",")) <= first_lines.LINES


def test_the_first_lines_are_shown_as_they_would_be_read(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress("größe;x\n1,5;2\n".encode("latin-1")))
    as_it_is = first_lines.preview_lines(path, Dialect(separator=";", encoding="latin-1"))
    assert as_it_is == {"rows": [["größe", "x"], ["1,5", "2"]], "message": "2 columns"}
    assert first_lines.preview_lines(path, Dialect())["rows"] == []  # not written in UTF-8
    other = first_lines.preview_lines(path, Dialect(encoding="latin-1"))
    assert "different numbers" in other["message"]
    path.write_bytes(b"\x1f\x8b\x08\x00garbage")
    assert first_lines.read_sample(path) == b""
