"""A small version of the study that chose the bound; the tool runs the large one."""

from tools.bound_study import errors_of, study


def test_the_bound_tells_right_from_nearly_right():
    errors = errors_of(study(300, seed=7))
    assert {name: row for name, row in errors.items() if row[0]} == {}
    kinds = {name.split(": ")[1] for name in errors}
    assert kinds == {"honest", "drop", "tf32", "bf16"}
    assert sum(count for name, (_, count) in errors.items() if "honest" in name) == 300
