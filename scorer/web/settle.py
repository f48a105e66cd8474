"""A second photo of the same kingdom settles doubts of the first."""

from __future__ import annotations

from dataclasses import replace

from scorer.errors import UsageError
from scorer.rules import Doubt
from scorer.rules.message import msg
from scorer.rules.notation import square_text
from scorer.web.board import Board, turn

SAME = 0.7
"""Two photos show one kingdom when so many of the squares that both are sure of are equal."""


class AnotherKingdom(UsageError):
    """The second photo shows something else."""


def settle(first: Board, second: Board) -> Board:
    """The first board with what the second photo is sure of, where the first is not; where both are sure and differ,
    a new doubt. The second photo may be taken from any side."""
    best, agreement = first, 0.0
    for _ in range(4):
        second = turn(second)
        if (share := _agreement(first, second)) > agreement:
            best, agreement = second, share
    if agreement < SAME:
        raise AnotherKingdom("the second photo shows another kingdom")
    mine, theirs = _doubtful(first), _doubtful(best)
    kingdom, doubts = first.kingdom, [doubt for doubt in first.doubts if doubt.square is None]
    for place, square in first.kingdom.squares():
        other = best.kingdom.at(place)
        if place in theirs:
            doubts += [doubt for doubt in first.doubts if doubt.square == place]
        elif place in mine:
            kingdom = kingdom.with_square(place, other)
        elif other != square:
            read, seen = square_text(square), square_text(other)
            text = msg(
                "square {row},{column} read as {read} may be {other}",
                row=place[0],
                column=place[1],
                read=read,
                other=seen,
            )
            doubts.append(Doubt("reading", text, place, read, (seen,), 0.5, needed=False))
    return replace(first, kingdom=kingdom, doubts=tuple(doubts))


def _doubtful(board: Board) -> set[tuple[int, int]]:
    return {doubt.square for doubt in board.doubts if doubt.square} | {
        place for place, square in board.kingdom.squares() if square.doubtful
    }


def _agreement(first: Board, second: Board) -> float:
    if (first.kingdom.height, first.kingdom.width) != (second.kingdom.height, second.kingdom.width):
        return 0.0
    unsure = _doubtful(first) | _doubtful(second)
    sure = [(place, square) for place, square in first.kingdom.squares() if place not in unsure]
    return sum(second.kingdom.at(place) == square for place, square in sure) / len(sure) if sure else 0.0
