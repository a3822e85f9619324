"""A Hugging Face model inside this process."""

from __future__ import annotations

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, ClassVar

from answer.generating.errors import (
    GeneratorError,
    GeneratorOutOfMemory,
    GeneratorRefused,
    GeneratorUnavailable,
    PromptTooLong,
)
from answer.generating.generator import GeneratorName, Limits, OnText, Prompt, RawDraft
from answer.generating.hf_model import LoadedModel, load_model


class TransformersGenerator:
    """One model, one worker thread: calls wait for each other. A cancelled one stops at its next token."""

    name: ClassVar[GeneratorName] = "transformers"

    def __init__(self, loaded: LoadedModel, limits: Limits) -> None:
        self._loaded = loaded
        self.limits = Limits(min(limits.context, loaded.context), limits.output, limits.temperature)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="generator")
        self._closed = threading.Event()
        _ = self._grammars

    @classmethod
    def load(cls, name: str, limits: Limits, *, quantize: bool = True) -> TransformersGenerator:
        """`name`: hub id or directory. Takes minutes. Raises GeneratorUnavailable."""
        return cls(load_model(name, quantize=quantize), limits)

    def count_tokens(self, text: str) -> int:
        return len(self._loaded.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    async def generate(self, prompt: Prompt, *, on_text: OnText | None = None) -> RawDraft:
        loop = asyncio.get_running_loop()
        stop = threading.Event()

        def follow(text: str) -> None:
            if on_text is not None and not stop.is_set():
                loop.call_soon_threadsafe(_unless_set, stop, on_text, text)

        work = loop.run_in_executor(self._worker, self._generate, prompt, stop, follow if on_text else None)
        # The thread outlives a cancelled call by a token; nobody is left to hear of its result.
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            return await asyncio.shield(work)
        finally:
            stop.set()

    async def close(self) -> None:
        self._closed.set()
        await asyncio.to_thread(self._worker.shutdown, cancel_futures=True)
        del self._loaded
        gc.collect()

    def _generate(self, prompt: Prompt, stop: threading.Event, follow: OnText | None) -> RawDraft:
        """In the worker thread. Tensors live in here only, so they are freed when it returns."""
        import torch

        if stop.is_set():
            return RawDraft("", complete=False)
        try:
            return self._run(prompt, stop, follow)
        except torch.OutOfMemoryError as exc:
            # The traceback holds the tensors; without it they can go, and the allocator's rests with them.
            exc.__traceback__ = None
        except GeneratorError:
            raise
        except Exception as exc:  # a fault inside torch must not take the answer away
            raise GeneratorRefused(f"the model failed ({type(exc).__name__})") from exc
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        raise GeneratorOutOfMemory("the graphics memory is too small for this prompt; lower LLM_CONTEXT")

    def _run(self, prompt: Prompt, stop: threading.Event, follow: OnText | None) -> RawDraft:
        import torch
        from transformers import GenerationConfig, StoppingCriteriaList
        from xgrammar.contrib.hf import LogitsProcessor

        loaded, limits = self._loaded, self.limits
        inputs = self._tokens(prompt)
        length = inputs["input_ids"].shape[1]
        if length + limits.output > limits.context:
            raise PromptTooLong(f"{length} tokens and {limits.output} of reply exceed {limits.context}")
        sampled = limits.temperature > 0
        config = GenerationConfig(
            max_new_tokens=limits.output,
            do_sample=sampled,
            temperature=limits.temperature if sampled else None,
            eos_token_id=list(loaded.stop_ids),
            pad_token_id=loaded.stop_ids[0]
            if loaded.tokenizer.pad_token_id is None
            else loaded.tokenizer.pad_token_id,
        )
        grammar = self._grammars.compile_json_schema(prompt.schema, any_whitespace=False)
        with torch.inference_mode():
            output = loaded.model.generate(
                **inputs,
                generation_config=config,
                logits_processor=[LogitsProcessor(grammar)],
                stopping_criteria=StoppingCriteriaList([_stopper(stop, self._closed)]),
                streamer=_streamer(loaded.tokenizer, follow) if follow else None,
            )
        written = output[0, length:].tolist()
        text = loaded.tokenizer.decode(written, skip_special_tokens=True)
        return RawDraft(text, complete=bool(written) and written[-1] in loaded.stop_ids)

    def _tokens(self, prompt: Prompt) -> Any:
        """The chat as the model was trained on it; marks of its template inside the texts are broken up."""
        system, user = self._harmless(prompt.system), self._harmless(prompt.user)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        if not self._knows_system:
            messages = [{"role": "user", "content": f"{system}\n\n{user}"}]
        return self._apply(messages).to(self._loaded.model.device)

    def _apply(self, messages: list[dict[str, str]]) -> Any:
        return self._loaded.tokenizer.apply_chat_template(
            messages,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
            enable_thinking=False,  # read by templates of models that think, ignored by the others
        )

    def _harmless(self, text: str) -> str:
        for mark in self._marks:
            text = text.replace(mark, f"{mark[0]} {mark[1:]}")
        return text

    @cached_property
    def _marks(self) -> tuple[str, ...]:
        """Texts that the tokenizer reads as control tokens."""
        added = self._loaded.tokenizer.added_tokens_decoder.values()
        special = {str(token) for token in added if token.special} | set(
            self._loaded.tokenizer.all_special_tokens
        )
        return tuple(sorted((mark for mark in special if len(mark) > 1), key=len, reverse=True))

    @cached_property
    def _knows_system(self) -> bool:
        """Some templates (Gemma) refuse a system message."""
        try:
            self._apply([{"role": "system", "content": "а"}, {"role": "user", "content": "б"}])
        except Exception:  # whatever the template raises
            return False
        return True

    @cached_property
    def _grammars(self) -> Any:
        try:
            import xgrammar
        except ImportError as exc:
            raise GeneratorUnavailable(
                "GENERATOR=transformers needs xgrammar to keep the reply JSON: `pip install 'paragraf[gpu]'`."
            ) from exc
        loaded = self._loaded
        info = xgrammar.TokenizerInfo.from_huggingface(
            loaded.tokenizer, vocab_size=loaded.vocabulary, stop_token_ids=list(loaded.stop_ids)
        )
        return xgrammar.GrammarCompiler(info, max_threads=2)


def _unless_set(stop: threading.Event, on_text: OnText, text: str) -> None:
    if not stop.is_set():
        on_text(text)


def _stopper(*events: threading.Event) -> Any:
    """A stopping criterion that is met once any of the events is set."""
    import torch
    from transformers import StoppingCriteria

    class Stopper(StoppingCriteria):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            done = any(event.is_set() for event in events)
            return torch.full((input_ids.shape[0],), done, dtype=torch.bool, device=input_ids.device)

    return Stopper()


def _streamer(tokenizer: Any, follow: OnText) -> Any:
    """Hands on everything that is written so far, whole letters only, at each token that adds to it."""
    from transformers.generation.streamers import BaseStreamer

    class Streamer(BaseStreamer):  # type: ignore[misc]
        def __init__(self) -> None:
            self.prompt_passed = False
            self.tokens: list[int] = []
            self.length = 0

        def put(self, value: Any) -> None:
            if not self.prompt_passed:
                self.prompt_passed = True
                return
            self.tokens.extend(value.reshape(-1).tolist())
            # A letter whose second half is a token of its own is decoded as U+FFFD until that one comes.
            text = tokenizer.decode(self.tokens, skip_special_tokens=True).rstrip("\ufffd")
            if len(text) > self.length:
                self.length = len(text)
                follow(text)

        def end(self) -> None:
            """Nothing is held back."""

    return Streamer()
