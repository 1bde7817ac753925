"""Evaluate: runs over labelled questions, their comparison, test sets, and fits of the gate."""

from dashboard import calibrating, comparing, components, evaluating, job_cards, resources, running, testsets
from rag.workspace.in_force import follow

components.header("Evaluate", f"How good the answers are, measured on labelled questions. Times: {components.zone()}.")
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    follow(candor)
    job_cards.draw_running(running.KIND, cancel_help="Lines that are written stay.")
    job_cards.draw_running(calibrating.KIND, cancel_help="Everything stays as it is.")
    runs, new, compare, tests, calibrate = evaluating.views()
    with runs, components.guarded():
        if runs.open:
            evaluating.draw_runs(candor)
    with new, components.guarded():
        if new.open:
            running.draw_new_run(candor)
    with compare, components.guarded():
        if compare.open:
            comparing.draw_compare(candor)
    with tests, components.guarded():
        if tests.open:
            testsets.draw_test_sets(candor)
    with calibrate, components.guarded():
        if calibrate.open:
            calibrating.draw_calibrate(candor)
