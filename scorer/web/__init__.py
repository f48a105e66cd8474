"""The page people use at the table: photograph, correct, score, keep.

A board is a kingdom with where it lies in its photo (`board`), a game its seats and rules (`game`); `store` keeps
them, one transaction a change; `view` says them in the user's language; `pages` and `api` answer the browser, behind
the checks of `safety`. Photos are only ever decoded in the processes of `readers`. Threat model: docs/security.md.
"""
