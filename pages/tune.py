"""Tune: how readily Candor answers, what another setting would have done, and the way to put it into production."""

from dashboard import components, promoting, resources, tuning

components.header(
    "Tune",
    "Move the slider and see at once which questions would end differently, with their answers. No model is asked.",
)
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    tuning.draw(candor, tuning.choose_cases(candor))
    promoting.draw_history(candor, key="promotions")
    promoting.draw_report(candor)
