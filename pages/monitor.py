"""Monitor: questions, outcomes, what stayed unanswered, latency, errors and health on one screen; parts on request."""

from dashboard import components, jobs, monitoring, resources

components.header("Monitor", f"What was asked, how it ended and how long it took. Times: {components.zone()}.")
with components.guarded():
    candor = resources.get_candor()
    begin, part = monitoring.choose()
    monitoring.draw_lost(candor)
    also = monitoring.draw_overview(candor, begin) if jobs.records_are_read() else None
    if also is None:
        monitoring.draw_health(candor)
    elif part is None:
        monitoring.draw_screen(candor, begin, also)
    else:
        monitoring.PARTS[part](begin)
