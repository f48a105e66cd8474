"""Folders of photos: find -> read (by workers) -> records -> games -> results and report.

A photo's record, one small file, is all the state there is: a run makes the records that are missing or out of date and
then puts the results together from all of them, in the order of the photos' names. So a run may stop at any moment,
and what comes out does not depend on who computed what, when and how often.
"""

from scorer.batch.engine import Engine, Progress
from scorer.batch.run import Options, Summary, run
from scorer.batch.workers import Limits

__all__ = ["Engine", "Limits", "Options", "Progress", "Summary", "run"]
