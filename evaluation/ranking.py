"""Ranking measures per case, as `ir_measures` (trec_eval) defines them."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.extras import load

_GOLD = "gold"
MEASURES = {"hit_at_1": "Success@1", "hit_at_4": "Success@4", "mrr": "RR", "ndcg_at_10": "nDCG@10"}


def ranking(ranks: Sequence[int | None], hits: Sequence[int]) -> dict[str, list[float]]:
    """Measure → value per case, from the rank of the gold passage and the number of hits.

    Each case has one gold passage: the best place it reaches counts, copies below it neither help nor harm.
    """
    ir_measures = load("ir_measures")
    qrels = [ir_measures.Qrel(str(case), _GOLD, 1) for case in range(len(ranks))]
    run = [
        ir_measures.ScoredDoc(str(case), _GOLD if place == rank else str(place), -float(place))
        for case, (rank, found) in enumerate(zip(ranks, hits, strict=True))
        for place in range(1, max(found, rank or 0) + 1)
    ]
    # The library leaves out cases without hits; they are worth 0.
    values = {key: [0.0] * len(ranks) for key in MEASURES}
    names = {ir_measures.parse_measure(name): key for key, name in MEASURES.items()}
    if run:
        for metric in ir_measures.iter_calc(list(names), qrels, run):
            values[names[metric.measure]][int(metric.query_id)] = float(metric.value)
    return values
