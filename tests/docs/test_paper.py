"""The paper is short enough for its journal, cites its bibliography, and shows a figure that exists."""

import re
from pathlib import Path

PAPER = Path(__file__).parents[2] / "paper"
_, HEADER, TEXT = (PAPER / "paper.md").read_text(encoding="utf-8").split("---\n", 2)


def test_the_paper_has_at_most_a_thousand_words():
    text, _, references = TEXT.partition("# References")
    assert not references.strip(), "the references come from the bibliography"
    assert 250 <= len(text.split()) <= 1000


def test_the_paper_has_the_parts_of_the_journal():
    fields = set(re.findall(r"^(\w+):", HEADER, re.MULTILINE))
    assert fields >= {"title", "tags", "authors", "date", "bibliography"}
    assert re.findall(r"^# (.*)", TEXT, re.MULTILINE) == [
        *("Summary", "Statement of need", "State of the field", "Design"),
        *("What was measured", "Acknowledgements", "References"),
    ]


def test_what_is_cited_is_in_the_bibliography_and_the_other_way_round():
    entries = re.findall(r"^@\w+\{(\w+),$", (PAPER / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert set(entries) == set(re.findall(r"@(\w+)", TEXT))


def test_the_figure_exists_and_is_referred_to():
    ((label, file),) = re.findall(r"\\label\{(fig:\w+)\}\]\((\S+)\)", TEXT)
    assert f"\\autoref{{{label}}}" in TEXT
    assert (PAPER / file).is_file()
