"""Makes text harmless before a model reads it: it stays readable, but commands and marks of the chat
lose their form.
"""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import re
import unicodedata

# Tokens of chat templates: Qwen/ChatML, Llama 2 and 3, Mistral, Gemma, Phi, DeepSeek.
_TEMPLATE = re.compile(
    r"<\s*\|\s*/?\s*[A-Za-z][\w\s▁-]{0,40}\|\s*>|<\|[^\s<>]{1,60}\|>"  # <|im_start|>, <|end|>
    r"|<｜[^<>｜]{1,40}｜>"
    r"|</?\s*(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|tool_call|tool_response|tools|system|assistant|user|human|mask|image|"
    r"audio|video|unused\d+|0x[0-9a-f]{2})\s*>"
    r"|\[/?\s*(?:INST|SYS|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS)\s*\]"
    r"|<<\s*/?\s*SYS\s*>>",
    re.IGNORECASE,
)
# «[f1]», «[ id: f12 ]», «【f3】»: only our own fragments carry such labels.
_LABEL = re.compile(
    r"[\[【［]\s*(?P<inner>(?:id\s*[:=]\s*)?[«\"']?[A-Za-zФф]{1,3}[-_]?\d{1,4}[»\"']?(?:\s*[,;]\s*[A-Za-z]{1,3}\d{1,4})*)\s*[\]】］]",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"(?m)^(?P<lead>[ \t>*#_-]*)(?P<role>system|assistant|user|human|developer|[сc]ист[еe]м[аa]|системное сообщение|системный промпт|"
    r"ассистент|пользователь|инструкция для модели|новая инструкция)(?P<tail>[ \t*_]*):",
    re.IGNORECASE,
)
# «[10 класс | § 13 «…» | стр. 57]»: the line that heads each fragment.
_HEADER = re.compile(r"\[(?P<inner>(?=[^\[\]\n]*(?:§|стр\.|класс))[^\[\]\n]{0,200}\|[^\[\]\n]{0,200})\]")
_FULL_WIDTH = str.maketrans("＜＞｜［］", "<>|[]")
_HEADING = re.compile(
    r"(?m)^[ \t]*#{2,}[ \t]*(?=(?:system|instruction|response|human|assistant|инструкц|ответ|систем)\w*[ \t]*:?[ \t]*$)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"`{3,}|~{3,}")
_INVISIBLE = frozenset({"Cf", "Co", "Cn", "Cs"})


def neutralise(text: str) -> str:
    """`text` of a book or a question, without chat tokens, forged labels, role prefixes and invisible characters.

    What stood in them stays as words: «<|im_start|>system» → «(im_start) system», «[f1]» → «(f1)»,
    «Система: …» → «„Система“ — …». A second pass changes nothing.
    """
    text = "".join(char for char in text if char in "\n\t" or not _unseen(char)).translate(_FULL_WIDTH)
    for _ in range(4):  # taking one out may put together another
        before = text
        text = _TEMPLATE.sub(_words, text)
        if text == before:
            break
    text = _LABEL.sub(lambda match: f"({match['inner'].strip()})", text)
    text = _HEADER.sub(lambda match: f"({match['inner'].strip()})", text)
    text = _HEADING.sub("", text)
    text = _ROLE.sub(lambda match: f"{match['lead']}„{match['role']}“ —", text)
    return _FENCE.sub("", text)


def has_template_tokens(text: str) -> bool:
    """Whether a chat template's tokens stand in it: «<|im_end|>», «[INST]», «<start_of_turn>»."""
    return _TEMPLATE.search(text.translate(_FULL_WIDTH)) is not None


def _words(match: re.Match[str]) -> str:
    inner = re.sub(r"[<>|｜\[\]/]", " ", match.group())
    inner = " ".join(inner.split())
    return f"({inner})" if inner else ""


def _unseen(char: str) -> bool:
    category = unicodedata.category(char)
    # The soft hyphen and joiners vanish; a control character has no place in a prompt.
    return category in _INVISIBLE or (category == "Cc" and char not in "\n\t\r")
