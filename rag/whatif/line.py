"""One way to move both thresholds of a gate together: from careful to answering more."""

import math

STEP = 0.2
"""By how much one step moves the thresholds, in log-odds: near .5 that is five hundredths."""
FARTHEST = 5.0
"""How far the line goes to either side, in log-odds."""


def careful_line(threshold: float, unsure: float | None) -> dict[float, float | None]:
    """Return both thresholds at every step from careful to answering more: confidence threshold -> unsure threshold.

    The line goes through the pair that the fit of the gate itself gives, and moves both by the same log-odds: where the
    odds that a passage answers must be twice as high for an answer, they must be twice as high for unsure, too. So
    the pair keeps the distance at which the fit was made, and never crosses. All but the fit's own pair are rounded to
    hundredths, which is what the single sliders show. An estimator that knows no unsure moves its one threshold.

    Args:
        threshold: The fit's own confidence threshold, 0..1.
        unsure: The fit's own unsure threshold, 0..1; None: it knows none.

    Returns:
        The strictest first; each confidence threshold once.

    >>> points = careful_line(0.4, 0.12)
    >>> len(points), list(points.items())[0], points[0.4], points[0.6], list(points.items())[-1]
    (39, (0.99, 0.93), 0.12, 0.23, (0.01, 0.0))
    >>> set(careful_line(0.5, None).values())
    {None}
    """
    points: dict[float, float | None] = {threshold: unsure}
    for step in range(round(-FARTHEST / STEP), round(FARTHEST / STEP) + 1):
        moved = round(_shifted(threshold, step * STEP), 2)
        if 0 < moved < 1 and round(threshold, 2) != moved:
            points.setdefault(moved, None if unsure is None else round(_shifted(unsure, step * STEP), 2))
    return dict(sorted(points.items(), reverse=True))


def _shifted(share: float, by: float) -> float:
    inside = min(max(share, 1e-6), 1 - 1e-6)
    return 1 / (1 + math.exp(-(math.log(inside / (1 - inside)) + by)))
