"""Monitor: traffic, outcomes, latency, confidence, feedback, errors and health."""

from dashboard import components, monitoring, reading, resources

components.header("Monitor", "What was asked, how it ended and how long it took; read from the structured log.")
with components.guarded():
    candor = resources.get_candor()
    begin = monitoring.choose_span()
    monitoring.draw_lost(candor)
    if reading.records_are_read() and monitoring.draw_overview(begin):
        monitoring.draw_traffic(begin)
        monitoring.draw_latency(begin)
        monitoring.draw_confidence(begin)
        monitoring.draw_feedback(begin)
        monitoring.draw_errors(begin)
    monitoring.draw_health(candor)
