"""Evaluate: runs over labelled questions, their comparison, and fitted gates."""

from dashboard import comparing, components, evaluating, gate_fits, new_run, resources

components.header("Evaluate", "How good the answers are, measured on labelled questions.")
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    resources.follow_promotions(candor)
    new_run.draw_jobs()
    gate_fits.draw_jobs()
    runs, new, compare, calibrate = evaluating.views()
    with runs:
        evaluating.draw_runs()
    with new, components.guarded():
        new_run.draw_new_run(candor)
    with compare, components.guarded():
        comparing.draw_compare(candor)
    with calibrate, components.guarded():
        gate_fits.draw_calibrate(candor)
