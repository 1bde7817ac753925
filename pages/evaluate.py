"""Evaluate: runs over labelled questions, their comparison, and the labelling queue."""

from dashboard import agreeing, comparing, components, evaluating, gate_fits, labelling, new_run, resources

components.header("Evaluate", "How good the answers are, measured on labelled questions.")
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    resources.follow_promotions(candor)
    new_run.draw_jobs()
    gate_fits.draw_jobs()
    runs, new, compare, label, calibrate = evaluating.views()
    with runs:
        evaluating.draw_runs()
    with new, components.guarded():
        new_run.draw_new_run(candor)
    with compare, components.guarded():
        comparing.draw_compare(candor)
    with label, components.guarded():
        labelling.draw_queue(candor)
        agreeing.draw_agreement(candor)
        agreeing.draw_label_export(candor)
    with calibrate, components.guarded():
        gate_fits.draw_calibrate(candor)
