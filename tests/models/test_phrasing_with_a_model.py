"""A real model behind the whole path of checks. It writes nonsense, so nonsense must not come out."""

from __future__ import annotations

import asyncio
from pathlib import Path

from modelserver.evidence import FOUNDED, QUESTION, supported

from answer.generating.generator import Limits
from answer.generating.settings import GenerationSettings
from answer.generating.transformers import TransformersGenerator
from answer.phrasing import Phraser

LIMITS = Limits(context=4096, output=80, temperature=0.0)


def test_whatever_the_model_writes_the_student_gets_a_sound_answer(smollm: Path) -> None:
    before, book = supported((FOUNDED,))
    generator = TransformersGenerator.load(str(smollm), LIMITS, quantize=False)

    async def ask() -> None:
        one = Phraser(generator, lambda: {"history": book}, seconds=120)
        answer = await one.phrase(QUESTION, before)
        if answer.status == "supported":
            assert answer.answer == before.answer
            assert answer.model_error
        else:
            assert (answer.status, answer.mode) == ("generated_checked", "transformers")
        assert answer.sources
        assert all(any(s.quote in hit.chunk.text for hit in before.hits) for s in answer.sources)
        await one.close()

    asyncio.run(ask())


def test_the_settings_name_the_model_that_is_loaded(smollm: Path) -> None:
    settings = GenerationSettings(generator="transformers", llm_model=str(smollm), llm_quantization="none")
    from answer.generating.load import load_generator

    generator = load_generator(settings)
    assert isinstance(generator, TransformersGenerator)
    assert generator.limits == Limits(8192, 400, 0.1)
    asyncio.run(generator.close())
