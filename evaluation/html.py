"""A report in one HTML file: tables, and plots as inline SVG."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from evaluation.extras import load
from evaluation.metrics import Score
from evaluation.report import describe_fault, interval, number
from evaluation.statistics import Difference
from evaluation.summary import MEASURES, Summary

_COLOURS = ("#b0563b", "#2f6690", "#5b8c5a")


def write_html(
    path: Path,
    files: Sequence[Path],
    runs: Mapping[str, Sequence[Score]],
    summaries: Sequence[Summary],
    comparison: Mapping[str, Difference | None] | None,
) -> None:
    """Write the report; it refers to nothing outside itself. Raises OSError."""
    environment = Environment(
        loader=PackageLoader("evaluation", "templates"), autoescape=select_autoescape(), trim_blocks=True
    )
    page = environment.get_template("report.html").render(
        files=[file.name for file in files],
        when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        summaries=summaries,
        measures=MEASURES,
        comparison=comparison,
        number=number,
        interval=interval,
        plots=_plots(runs, summaries),
        faults=[
            (system, score.case, fault)
            for system, scores in runs.items()
            if system != "original"
            for score in scores
            if (fault := describe_fault(score))
        ],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def _plots(runs: Mapping[str, Sequence[Score]], summaries: Sequence[Summary]) -> list[tuple[str, Markup]]:
    colours = {summary.system: _COLOURS[i % len(_COLOURS)] for i, summary in enumerate(summaries)}
    return [
        ("Меры с 95-процентными интервалами", _svg(_intervals(summaries, colours))),
        ("Риск и охват: доля неверных среди самых уверенных ответов", _svg(_risk(summaries, colours))),
        ("Отказы и верные ответы по видам вопросов", _svg(_kinds(summaries, colours))),
        ("Время на вопрос", _svg(_latency(runs, colours))),
    ]


def _intervals(summaries: Sequence[Summary], colours: Mapping[str, str]) -> Any:
    shown = [m for m in MEASURES if m.key != "quoted_characters" and any(s.figures[m.key] for s in summaries)]
    figure, axes = _figure(7.5, 0.42 * len(shown) + 1)
    step = 0.8 / len(summaries)
    for place, summary in enumerate(summaries):
        for row, measure in enumerate(shown):
            if estimate := summary.figures[measure.key]:
                y = row - 0.4 + step * (place + 0.5)
                axes.plot([estimate.low, estimate.high], [y, y], color=colours[summary.system], linewidth=2)
                axes.plot([estimate.value], [y], "o", color=colours[summary.system], markersize=5)
    axes.set_yticks(range(len(shown)), [measure.name for measure in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.grid(axis="x", alpha=0.3)
    _legend(axes, colours)
    return figure


def _risk(summaries: Sequence[Summary], colours: Mapping[str, str]) -> Any:
    figure, axes = _figure(7.5, 3.6)
    for summary in summaries:
        axes.step(summary.risk.coverage, summary.risk.risk, where="post", color=colours[summary.system])
    axes.set_xlabel("доля вопросов, на которые отвечено")
    axes.set_ylabel("доля неверных ответов")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.grid(alpha=0.3)
    _legend(
        axes, {s.system: colours[s.system] for s in summaries}, {s.system: s.risk.area for s in summaries}
    )
    return figure


def _kinds(summaries: Sequence[Summary], colours: Mapping[str, str]) -> Any:
    kinds = list(summaries[0].kinds)
    figure, axes = _figure(7.5, 0.45 * len(kinds) + 1)
    step = 0.8 / len(summaries)
    for place, summary in enumerate(summaries):
        rows = [row - 0.4 + step * (place + 0.5) for row in range(len(kinds))]
        shown = [k.right if k.answerable else k.refused for k in summary.kinds.values()]
        axes.barh(rows, [e.value for e in shown], height=step * 0.9, color=colours[summary.system])
        for row, e in zip(rows, shown, strict=True):
            axes.plot([e.low, e.high], [row, row], color="black", linewidth=1)
    labels = [
        f"{kind}: {'верно' if figures.answerable else 'отказ'}, n = {figures.n}"
        for kind, figures in summaries[0].kinds.items()
    ]
    axes.set_yticks(range(len(kinds)), labels)
    axes.set_ylim(len(kinds) - 0.5, -0.5)
    axes.set_xlim(0, 1.02)
    axes.grid(axis="x", alpha=0.3)
    _legend(axes, colours)
    return figure


def _latency(runs: Mapping[str, Sequence[Score]], colours: Mapping[str, str]) -> Any:
    figure, axes = _figure(7.5, 3)
    for system, scores in runs.items():
        axes.ecdf([score.milliseconds for score in scores], color=colours[system])
    axes.set_xlabel("мс")
    axes.set_ylabel("доля вопросов")
    axes.grid(alpha=0.3)
    _legend(axes, colours)
    return figure


def _figure(width: float, height: float) -> tuple[Any, Any]:
    figure = load("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _legend(axes: Any, colours: Mapping[str, str], areas: Mapping[str, float] | None = None) -> None:
    for system, colour in colours.items():
        label = system if areas is None else f"{system}, площадь {areas[system]:.3f}"
        axes.plot([], [], color=colour, linewidth=4, label=label)
    axes.legend(loc="best", frameon=False)


def _svg(figure: Any) -> Markup:
    """SVG with text as text, without the XML prologue, the same bytes for the same figures."""
    buffer = io.StringIO()
    with load("matplotlib").rc_context({"svg.fonttype": "none", "svg.hashsalt": "paragraf"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    # Drawn by matplotlib from numbers and our own labels; kinds of cases are escaped by its XML writer.
    return Markup(text[text.index("<svg") :])  # noqa: S704
