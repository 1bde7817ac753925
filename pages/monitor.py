"""Monitor: questions, outcomes, what stayed unanswered, latency, errors and health on one screen; more on request."""

from dashboard import components, jobs, monitoring, resources

components.header("Monitor", f"What was asked, how it ended and how long it took. Times: {components.zone()}.")
with components.guarded():
    candor = resources.get_candor()
    begin = monitoring.choose_span()
    monitoring.draw_lost(candor)
    if jobs.records_are_read() and monitoring.draw_overview(candor, begin):
        monitoring.draw_screen(candor, begin)
        monitoring.draw_more(begin)
    else:
        monitoring.draw_health(candor)
