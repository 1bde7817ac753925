"""Evaluate: runs over labelled questions, their comparison, test sets, and fits of the gate."""

from dashboard import comparing, components, evaluating, gate_fits, new_run, resources, testsets

components.header("Evaluate", "How good the answers are, measured on labelled questions.")
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    resources.follow_promotions(candor)
    new_run.draw_running()
    gate_fits.draw_running()
    runs, new, compare, tests, calibrate = evaluating.views()
    with runs, components.guarded():
        if runs.open:
            evaluating.draw_runs(candor)
    with new, components.guarded():
        if new.open:
            new_run.draw_new_run(candor)
    with compare, components.guarded():
        if compare.open:
            comparing.draw_compare(candor)
    with tests, components.guarded():
        if tests.open:
            testsets.draw_test_sets(candor)
    with calibrate, components.guarded():
        if calibrate.open:
            gate_fits.draw_calibrate(candor)
