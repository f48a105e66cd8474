"""The same work on a real Dask cluster, with a worker killed in the middle."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.batch import Engine, Limits, Options, Progress, run
from scorer.errors import UsageError
from tests.batch.runs import files, read_folder

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


class Counting(Progress):
    """Keeps what is done."""

    def __init__(self) -> None:
        self.statuses: list[str] = []

    def done(self, status: str) -> None:
        self.statuses.append(status)


class Killing(Counting):
    """Kills a worker of the cluster after the first photo."""

    def __init__(self, cluster: Any) -> None:
        super().__init__()
        self.cluster = cluster
        self.killed: int | None = None

    def done(self, status: str) -> None:
        super().done(status)
        if self.killed is None:
            self.killed = next(iter(self.cluster.workers.values())).process.pid
            os.kill(self.killed, signal.SIGKILL)


def test_a_killed_worker_of_a_cluster_changes_nothing(folder: Path, tmp_path: Path, cluster: Any) -> None:
    read_folder(folder, tmp_path / "here")
    killing = Killing(cluster)
    engine = Engine(scheduler=cluster.scheduler_address, limits=Limits(seconds=60))
    summary = run(Options(folder, tmp_path / "there", engine=engine), killing)
    assert killing.killed
    assert (summary.read, summary.failed, len(killing.statuses)) == (6, 0, 6)
    assert files(tmp_path / "there") == files(tmp_path / "here")


def test_a_crash_on_a_cluster_costs_one_photo(
    folder: Path, tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "crash.jpg").write_bytes(b"x")
    from tests.batch import runs

    # Pickled by name, so the cluster finds the misbehaving function behind it.
    monkeypatch.setattr("scorer.batch.cluster.read_isolated", runs.read_isolated_or_misbehave)
    engine = Engine(scheduler=cluster.scheduler_address, limits=Limits(seconds=60))
    summary = run(Options(folder, tmp_path / "out", engine=engine))
    assert (summary.photos, summary.failed) == (7, 1)
    assert "crashed" in (tmp_path / "out" / "failed.csv").read_text()
    assert threading.active_count() < 50


def test_no_cluster_no_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorer.batch.cluster.PATIENCE", "1s")
    with pytest.raises(UsageError, match="no Dask scheduler answers"):
        run(Options(folder, tmp_path / "out", engine=Engine(scheduler="tcp://127.0.0.1:1")))


class Closing(Counting):
    """Closes the cluster after the first photo."""

    def __init__(self, cluster: Any) -> None:
        super().__init__()
        self.cluster = cluster

    def done(self, status: str) -> None:
        super().done(status)
        self.cluster.close()


def test_a_cluster_that_goes_away_ends_the_run_and_keeps_what_was_done(
    folder: Path, tmp_path: Path, cluster: Any
) -> None:
    engine = Engine(scheduler=cluster.scheduler_address, limits=Limits(seconds=60))
    closing = Closing(cluster)
    with pytest.raises(UsageError, match="the cluster is gone"):
        run(Options(folder, tmp_path / "out", engine=engine), closing)
    assert read_folder(folder, tmp_path / "out").read <= 6 - len(closing.statuses)
