"""`scorer` as a user calls it, and what it prints as JSON."""

import json
from pathlib import Path
from typing import Any

import jsonschema
from click.testing import CliRunner, Result

import scorer
from scorer.cli import main

SCHEMAS = Path(scorer.__file__).parent / "schemas"


def run(*arguments: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, env={"LANG": "C", "LANGUAGE": "", "LC_ALL": ""})


def valid(line: str) -> dict[str, Any]:
    """A line of JSON that fits the schema it names."""
    form: dict[str, Any] = json.loads(line)
    schema = SCHEMAS / f"{form['format'].replace('/', '-')}.json"
    jsonschema.validate(form, json.loads(schema.read_text()))
    return form
