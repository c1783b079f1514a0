"""Bounds what a file may need of its base: docs/format.md, "On reading frames"."""

from __future__ import annotations

from .errors import BaseTooCostlyError

_ALLOWED = 80 << 20
_RATIO = 16


class BaseCost:
    """Of frames that are read one after the other. `base`: original bytes of it; `piece`: of a piece of it."""

    def __init__(self, base: int, piece: int) -> None:
        self._base, self._piece = base, piece
        self._cost = self._useful = 0
        self._last: list[int] = []

    def add(self, size: int, offset: int, length: int) -> None:
        """A frame of `size` original bytes with this region. Raises BaseTooCostlyError."""
        if length == 0:
            return
        self._useful += size
        for piece in range(offset // self._piece, (min(offset + length, self._base) - 1) // self._piece + 1):
            if piece in self._last:
                self._last.remove(piece)
            else:
                self._cost += min(self._piece, self._base - piece * self._piece)
            self._last = [*self._last[-1:], piece]
        if self._cost > _ALLOWED + _RATIO * self._useful:
            raise BaseTooCostlyError(
                f"{self._useful} bytes of this file need {self._cost} bytes of its base to be decompressed"
            )
