"""Strangers' names of files and things as they are told: on one line, as text, whatever bytes they are made of."""

import os


def text(name: str) -> str:
    """A name as text: bytes that are no UTF-8 as `\\xNN`, everything else as it is."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def shown(name: str) -> str:
    """A name on one line, with nothing in it that moves the reader's cursor or turns the text around."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text(name)
    )


def one_line(words: str) -> str:
    """Words with single blanks between them and nothing that is no letter or sign."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())
