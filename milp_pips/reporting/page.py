"""The whole page: what came out, what to beware of, a chapter per benchmark, and what was run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from milp_pips.comparison.records import RunRecord, SessionRecord
from milp_pips.reporting import texts
from milp_pips.reporting.benchmark import Benchmark
from milp_pips.reporting.chapter import Chapter
from milp_pips.reporting.markup import Markup, element, joined
from milp_pips.reporting.stylesheet import CSS
from milp_pips.reporting.summary import alarms, cautions, headline


def page(
    name: str, sessions: Sequence[SessionRecord], chapters: Sequence[Chapter], runs: Sequence[RunRecord]
) -> str:
    """Return the page as HTML that needs nothing from elsewhere and is well-formed XML, too."""
    benchmarks = [chapter.benchmark for chapter in chapters]
    days = sorted({run.started[:10] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    several = len(chapters) > 1
    body = element(
        "main",
        element("h1", "Engines compared"),
        element("p", f"{name} · {len(runs):,} runs · {when}", class_="soft"),
        element("div", *(_headline(each, several) for each in benchmarks), class_="lead"),
        _warning("alarm", "Wrong answers.", _told(benchmarks, alarms)),
        _warning("caution", "Beware.", _told(benchmarks, lambda each: cautions(each, sessions))),
        element("nav", *(element("a", text, href=f"#{anchor}") for anchor, text in _anchors(chapters))),
        *(chapter.html for chapter in chapters),
        element("h2", "How the figures are made", id="method"),
        element("p", texts.METHOD),
        element("p", texts.FILES),
        element("h2", "What was run", id="sessions"),
        *(_session(each, [run for run in runs if run.session == each.id]) for each in sessions),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"Engines compared: {name}"),
        element("style", Markup(CSS)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', body), lang='en')}\n"


def _headline(benchmark: Benchmark, several: bool) -> Markup:
    text = headline(benchmark)
    if not several:
        return element("p", text)
    return element("p", element("strong", f"{benchmark.title}. "), text)


def _told(benchmarks: Sequence[Benchmark], tell: Callable[[Benchmark], list[str]]) -> list[str]:
    """Return what there is to tell of all benchmarks; of several, each line says of which."""
    if len(benchmarks) == 1:
        return tell(benchmarks[0])
    return [f"{benchmark.title}: {line}" for benchmark in benchmarks for line in tell(benchmark)]


def _warning(kind: str, title: str, lines: Sequence[str]) -> Markup:
    if not lines:
        return Markup()
    return element(
        "div", element("strong", title), element("ul", *(element("li", line) for line in lines)), class_=kind
    )


def _anchors(chapters: Sequence[Chapter]) -> list[tuple[str, str]]:
    if len(chapters) > 1:
        found = [(f"{chapter.prefix}results", chapter.benchmark.title) for chapter in chapters]
    else:
        prefix = chapters[0].prefix
        found = [(f"{prefix}results", "Results"), (f"{prefix}hardest", "Hardest puzzles")]
        found.append((f"{prefix}unsolved", "Unsolved runs"))
    return [*found, ("method", "Method"), ("sessions", "What was run")]


def _session(session: SessionRecord, runs: Sequence[RunRecord]) -> Markup:
    limits = sorted({f"{run.time_limit:g} s" for run in runs})
    memory = sorted({f"{run.memory_limit / 2**20:g} MB" for run in runs if run.memory_limit})
    threads = sorted({run.threads for run in runs})
    entries: list[tuple[str, str]] = [
        ("command", element("code", session.command)),
        ("machine", f"{session.machine}, {session.processor}, {session.cores} cores"),
        ("versions", f"milp_pips {session.package}, Python {session.python}"),
        ("engines", ", ".join(f"{name} {version}" for name, version in sorted(session.engines.items()))),
        ("runs", f"{len(runs):,}"),
        ("limits", ", ".join([*limits, *memory]) or "none"),
        ("threads", ", ".join(map(str, threads)) or "–"),
    ]
    return joined(
        [
            element("h3", f"Session {session.id}, {session.started.replace('T', ' ')}"),
            element(
                "dl", *(part for what, said in entries for part in (element("dt", what), element("dd", said)))
            ),
        ]
    )
