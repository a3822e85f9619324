"""An extractive answer said in a model's words: what the checks let through, else the answer as it was."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from answer.answer import Answer, Status
from answer.assistant import Assistant
from answer.checking.closed_world import close_world
from answer.checking.drafts import Checked, CheckedSentence, Draft
from answer.checking.support import check_support
from answer.errors import RegistryDamaged
from answer.fragments import cited, content_words
from answer.generating.contract import MAX_ANSWER, read_draft, readable_start, without_marks
from answer.generating.errors import (
    ContractBroken,
    Fault,
    GeneratorError,
    GeneratorOutOfMemory,
    GeneratorTooSlow,
    PromptTooLong,
)
from answer.generating.generator import TEMPLATE_TOKENS, Generator, OnText, Prompt
from answer.generating.load import load_generator
from answer.generating.partial import partial_answer
from answer.generating.prompts import PromptSet
from answer.generating.settings import GenerationSettings
from answer.material import Material
from answer.orders import is_order, without_orders
from answer.registry import Registry
from answer.settings import AnswerSettings
from index.book import Book
from index.sentences import split_sentences

log = logging.getLogger(__name__)

NOT_SUPPORTED = "Ответ модели не подтвердился по учебнику."
BUSY = "Модель занята другими вопросами."
JSON_TOKENS = 40
"""Tokens of the reply that are not the answer: keys, braces, citations."""
ROOM = 0.9
"""Share of the reply's tokens that an answer may be expected to use; tokens per character vary."""
LEAST_ANSWER = 80
"""Characters of an answer that are allowed whatever the tokenizer."""


class Phraser:
    """Phrases answers with one generator. Calls of one event loop may overlap; the rest wait their turn."""

    def __init__(
        self,
        generator: Generator,
        books: Callable[[], Mapping[str, Book]],
        registry: Callable[[], Registry] = Registry,
        *,
        seconds: float = 30.0,
        concurrency: int = 1,
        check: bool = True,
    ) -> None:
        """`seconds`: for one answer, waiting for others and a second try included."""
        self._generator = generator
        self._books = books
        self._registry = registry
        self._seconds = seconds
        self.concurrency = concurrency
        """How many answers are phrased at the same time."""
        self._turns = asyncio.Semaphore(concurrency)
        self._check = check
        self._prompts = PromptSet.load()

    @classmethod
    def open(cls, assistant: Assistant, store: Path, settings: GenerationSettings) -> Phraser | None:
        """The phraser that the settings ask for, over the books the assistant serves; None without a model.

        Loads the weights of `transformers`: minutes. Raises GeneratorUnavailable.
        """
        generator = load_generator(settings)
        if generator is None:
            return None
        path = AnswerSettings().books_registry or store
        return cls(
            generator,
            lambda: assistant.library.books,
            lambda: Registry.load(path),
            seconds=settings.llm_timeout,
            concurrency=settings.llm_concurrency,
            check=settings.support_check,
        )

    def wants(self, answer: Answer) -> bool:
        """Whether there is something to phrase: only evidence that was found sufficient."""
        return answer.status == "supported" and answer.intent == "question" and bool(answer.sources)

    async def phrase(self, question: str, answer: Answer, *, on_text: OnText | None = None) -> Answer:
        """`answer` in a model's words, or `answer` itself, with `model_error` where that did not succeed.

        `on_text` gets the checked sentences while the model writes, where the generator can be followed.
        Raises nothing but CancelledError; a cancelled call stops the model.
        """
        if not self.wants(answer) or any(is_order(source.quote) for source in answer.sources):
            return answer
        started = time.perf_counter()
        phrased = await self._phrase(question, answer, on_text)
        return replace(phrased, elapsed_ms=answer.elapsed_ms + round((time.perf_counter() - started) * 1000))

    async def close(self) -> None:
        """Stop the model and give back its memory."""
        await self._generator.close()

    async def _phrase(self, question: str, answer: Answer, on_text: OnText | None) -> Answer:
        name = self._generator.name
        working = False
        try:
            async with asyncio.timeout(self._seconds), self._turns:
                working = True
                material = self._material(question, answer)
                draft, material = await self._draft(material, on_text)
                done = await asyncio.to_thread(self._finish, draft, material, answer)
            if done is None:
                log.info("%s: nothing of the draft is supported", name)
                return replace(answer, model_error=NOT_SUPPORTED)
            return done
        except TimeoutError:
            log.warning("%s: out of time %s", name, "while writing" if working else "while waiting")
            return replace(answer, model_error=GeneratorTooSlow.for_reader if working else BUSY)
        except GeneratorError as error:
            log.warning("%s: %s: %s", name, error.kind, error)
            return replace(answer, model_error=error.for_reader)
        except Exception as error:
            # Whatever fails, the extractive answer stands. The error's message could hold a text.
            log.error("%s: phrasing failed with %s", name, type(error).__name__)
            return replace(answer, model_error=GeneratorError.for_reader)

    def _material(self, question: str, answer: Answer) -> Material:
        try:
            registry = self._registry()
        except RegistryDamaged as error:
            log.error("%s", error)
            registry = Registry()
        return self._fitted(Material.of(question, answer, self._books(), registry))

    def _fitted(self, material: Material) -> Material:
        """As many fragments as the model's context takes, the quoted ones first; at least one."""
        limits = self._generator.limits
        while len(material.pieces) > 1:
            prompt = self._prompt(material, None)
            tokens = self._generator.count_tokens(prompt.system) + self._generator.count_tokens(prompt.user)
            if tokens + TEMPLATE_TOKENS + limits.output <= limits.context:
                break
            material = material.first(len(material.pieces) - 1)
        return material

    def _prompt(self, material: Material, fault: Fault | None) -> Prompt:
        sample = material.pieces[0].fragment.text
        per_token = len(sample) / max(1, self._generator.count_tokens(sample))
        room = (self._generator.limits.output - JSON_TOKENS) * per_token * ROOM
        most = min(MAX_ANSWER, max(LEAST_ANSWER, math.floor(room)))
        return self._prompts.build(material.question, material.shown(), material.documents(), most, fault)

    async def _draft(self, material: Material, on_text: OnText | None) -> tuple[Draft, Material]:
        """A draft that keeps the contract; one second try, and one with less. Raises GeneratorError."""
        fault: Fault | None = None
        tried = shrunk = False
        while True:
            prompt = self._prompt(material, fault)
            follow = self._follower(material, on_text) if on_text is not None else None
            try:
                raw = await self._generator.generate(prompt, on_text=follow)
                return read_draft(raw, prompt, {f.id: f.text for f in material.fragments}), material
            except (PromptTooLong, GeneratorOutOfMemory) as error:
                if shrunk or len(material.pieces) == 1:
                    raise
                shrunk = True
                material = material.first((len(material.pieces) + 1) // 2)
                log.info(
                    "%s: %s, once more with %d fragments",
                    self._generator.name,
                    error.kind,
                    len(material.pieces),
                )
            except GeneratorError as error:
                if tried or not error.retryable:
                    raise
                tried = True
                fault = error.fault if isinstance(error, ContractBroken) else None
                log.info("%s: %s, once more", self._generator.name, error.kind)

    def _finish(self, draft: Draft, material: Material, answer: Answer) -> Answer | None:
        """The answer to show, None where nothing of the draft may be shown."""
        checked, removed = self._checked(draft, material)
        if removed:
            log.info("%s: stripped %s", self._generator.name, dict(removed))
        unsupported = Counter(r.split(":")[0] for s in checked.removed for r in s.reasons)
        if unsupported:
            log.info("%s: unsupported %s", self._generator.name, dict(unsupported))
        held = content_words("\n".join(fragment.text for fragment in material.fragments))
        subject = content_words("\n".join(source.quote for source in answer.sources))
        subject |= content_words(material.question) & held
        supported = [sentence for sentence in checked.sentences if sentence.verdict != "removed"]
        kept = [sentence for sentence in supported if _says_something(sentence.text, subject)]
        text = checked.answer if kept == supported else " ".join(sentence.text for sentence in kept)
        if not content_words(text) & subject:
            return None
        status: Status = "generated_checked" if self._check else "generated_unverified"
        lead = _lead(answer)
        return replace(
            answer,
            status=status,
            mode=self._generator.name,
            answer=f"{lead}\n{text}" if lead else text,
            sources=cited(kept, material.pieces, material.books),
        )

    def _checked(self, draft: Draft, material: Material) -> tuple[Checked, Counter[str]]:
        # No fragment that the model saw speaks to a model: a sentence that does was put in from elsewhere.
        stripped = close_world(without_orders(draft.answer).replace("…", ""), material.allowed())
        draft = Draft(stripped.text, draft.citations)
        if self._check:
            return check_support(draft, material.fragments), stripped.removed
        text = without_marks(draft.answer)
        said = CheckedSentence(text, draft.citations, "supported")
        return Checked((said,) if text else (), text, draft.citations), stripped.removed

    def _follower(self, material: Material, on_text: OnText) -> OnText:
        """Hands on the sentences that are complete and pass the checks, each time there is one more."""
        ids = tuple(fragment.id for fragment in material.fragments)
        texts = "\n".join(fragment.text for fragment in material.fragments)
        seen = ends = 0

        def follow(written: str) -> None:
            nonlocal seen, ends
            begun = partial_answer(written)
            if (count := sum(map(begun.count, ".!?…\n"))) == ends:
                return  # no sentence can have ended since
            ends = count
            text = readable_start(begun, texts)
            sentences = split_sentences(text)[:-1]
            if len(sentences) <= seen:
                return
            seen = len(sentences)
            checked, _ = self._checked(Draft(text[: sentences[-1][1]], ids), material)
            if checked.answer:
                on_text(checked.answer)

        return follow


def _says_something(sentence: str, subject: set[str]) -> bool:
    """A lone word that neither question nor quotes speak of says nothing, though the book may hold it."""
    words = content_words(sentence)
    return len(words) > 1 or not words.isdisjoint(subject)


def _lead(answer: Answer) -> str:
    """Our own sentences before the quotes: that the § holds nothing and another one does."""
    position = answer.answer.find(answer.sources[0].quote)
    return answer.answer[:position].strip() if position > 0 else ""
