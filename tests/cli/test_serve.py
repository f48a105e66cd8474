"""`scorer serve` starts, says where, and refuses what it cannot do."""

import http.client
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli import main

START = [sys.executable, "-c", "from scorer.cli import main; main()", "serve", "--port", "0"]


@pytest.mark.parametrize("lan", [False, True])
def test_it_says_where_it_is(tmp_path: Path, lan: bool) -> None:
    command = [*START, "--data", str(tmp_path / "new" / "games.sqlite"), *(["--lan"] if lan else [])]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        if lan and "no network" in line:
            pytest.skip("this machine is in no network")
        found = re.search(r"http://([\d.]+):(\d+)/(\?token=[\w-]{20,})?", line)
        assert found is not None
        assert bool(found[3]) == lan
        connection = http.client.HTTPConnection("127.0.0.1", int(found[2]), timeout=60)
        connection.request("GET", "/")
        assert connection.getresponse().status == (403 if lan else 200)
        process.send_signal(signal.SIGINT)
        process.wait(60)
    finally:
        process.kill()
        process.communicate()
    assert (tmp_path / "new" / "games.sqlite").exists()


def test_a_port_in_use_and_a_file_that_is_none(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["serve", "--port", str(port), "--data", str(tmp_path / "a.sqlite")])
    assert result.exit_code == 2
    assert f"port {port} cannot be used" in result.stderr
    (tmp_path / "text").write_text("no database at all" * 100)
    result = CliRunner().invoke(main, ["serve", "--data", str(tmp_path / "text")])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
