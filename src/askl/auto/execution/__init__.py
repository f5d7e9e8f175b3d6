"""Running the trainings of an automatic fit: one trial, its cost, and what there is time for."""

from askl.auto.execution.budget import Budget, make_budget
from askl.auto.execution.cost_model import Work, count_work, estimate_seconds
from askl.auto.execution.scheduler import Scheduler, open_scheduler
from askl.auto.execution.trial import Problem, make_problem

__all__ = [
    "Budget",
    "Problem",
    "Scheduler",
    "Work",
    "count_work",
    "estimate_seconds",
    "make_budget",
    "make_problem",
    "open_scheduler",
]
