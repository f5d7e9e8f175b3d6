"""See a fitted model: plots, and a report to hand over."""
