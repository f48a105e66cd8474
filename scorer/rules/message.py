"""A sentence with its values kept apart, so that it can be said in any language later."""

from typing import Any, NamedTuple


class Term(str):
    """A name (terrain, building, quest) that has a translation of its own."""

    __slots__ = ()


class Message(NamedTuple):
    """An English template and what fills it; `str` says it in English."""

    template: str
    values: dict[str, Any]

    def __str__(self) -> str:
        return self.template.format_map(self.values)

    def __hash__(self) -> int:
        return hash(str(self))


def msg(template: str, /, **values: Any) -> Message:
    """Marks `template` for translation."""
    return Message(template, values)
