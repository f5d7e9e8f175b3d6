"""The default budget, and what is left of one."""

from __future__ import annotations

import pytest

from askl.auto.execution.budget import Budget, default_budget, make_budget
from tests.auto.cases import SETTINGS


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_default_budget_grows_with_rows_and_columns_between_two_ends():
    shapes = [(1600, 5), (10_000, 5), (10_000, 500)]
    budgets = [default_budget(*shape, SETTINGS) for shape in shapes]
    assert budgets == sorted(budgets)
    assert budgets[0] == 18.0
    assert default_budget(10**7, 10, SETTINGS) == 400.0


def test_of_few_rows_there_is_time_for_all_folds():
    budgets = [default_budget(n_rows, 5, SETTINGS) for n_rows in (1600, 1200, 800, 400)]
    assert budgets == [18, 24, 30, 36]


def test_a_budget_is_of_estimated_seconds_unless_a_user_named_them():
    automatic, named, none = (make_budget(given, 1600, 5, SETTINGS) for given in ("auto", 9, None))
    assert (automatic.total, automatic.estimated) == (18.0, True)
    assert (named.total, named.estimated) == (9.0, False)
    assert (none.total, none.allows(1e9)) == (None, True)


def test_named_seconds_are_those_of_the_clock_corrected_by_what_ended_work_took():
    clock = Clock()
    budget = Budget(12.0, clock=clock)
    assert (budget.spent, budget.slowdown, budget.expected_seconds) == (0.0, 1.0, 12.0)
    budget.begin(2.0)
    clock.now += 4.0
    budget.end(2.0, 4.0)
    assert (budget.seconds, budget.spent) == (4.0, 4.0)
    assert (budget.slowdown, budget.unit_cost) == (2.0, 2.0)
    assert budget.allows(4.0)
    assert not budget.allows(4.1)


def test_estimated_seconds_do_not_depend_on_the_clock():
    clock = Clock()
    budget = Budget(12.0, estimated=True, clock=clock)
    budget.begin(2.0)
    clock.now += 400.0
    budget.end(2.0, 400.0)
    assert (budget.seconds, budget.spent, budget.unit_cost) == (400.0, 2.0, 1.0)
    assert budget.expected_seconds == 12.0 * 200.0  # what the bar shows on so slow a machine
    assert budget.allows(10.0)
    assert not budget.allows(10.1)


@pytest.mark.parametrize("estimated", [True, False])
def test_only_a_budget_that_no_user_named_is_extended(estimated):
    budget = Budget(10.0, estimated=estimated)
    budget.extend(1.25)
    assert budget.total == (12.5 if estimated else 10.0)
    unlimited = Budget(None, estimated=estimated)
    unlimited.extend(1.25)
    assert unlimited.total is None
