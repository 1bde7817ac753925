"""Evaluate: runs over labelled questions, their comparison, test sets, and fits of the gate."""

from dashboard import calibrating, components, evaluating, jobs, resources, running, testsets
from rag.workspace.in_force import follow

components.header("Evaluate", f"How good the answers are, measured on labelled questions. Times: {components.zone()}.")
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    follow(candor)
    jobs.draw_running(running.KIND, cancel_help="Lines that are written stay.")
    jobs.draw_running(calibrating.KIND, cancel_help="Everything stays as it is.")
    draw = (evaluating.draw_runs, running.draw_new_run, evaluating.draw_compare, testsets.draw_test_sets,
            calibrating.draw_calibrate)  # fmt: skip
    for tab, draw_it in zip(evaluating.views(), draw, strict=True):
        if tab.open:
            with tab, components.guarded():
                draw_it(candor)
