"""Barriers on a page as it is drawn now, found by axe-core: its rules follow WCAG 2.2, levels A and AA."""

from typing import Any

SEVERE = ("serious", "critical")
LEFT_OUT = ("[disabled]", "[aria-disabled='true']", "[data-stale='true']", "[data-testid='stToast']")
"""WCAG exempts controls that cannot be used, and what is about to be drawn anew; Streamlit's toasts are read aloud, but
their markup, which is not ours, lacks a name."""


def barriers(page: Any) -> list[str]:
    """Return what axe-core calls serious or critical: the rule, and up to three places with what is wrong there.

    Args:
        page: Playwright's page. Frames of components are left out.
    """
    from axe_playwright_python.sync_playwright import Axe  # from the extra `test`, as Playwright is

    context = {"exclude": [[one] for one in LEFT_OUT if page.locator(one).count()]}
    options = {"resultTypes": ["violations"], "iframes": False}
    found = Axe().run(page, context=context, options=options).response["violations"]
    return [
        f"{one['id']}: " + "; ".join(f"{node['html'][:120]} ({node['failureSummary']})" for node in one["nodes"][:3])
        for one in found
        if one["impact"] in SEVERE
    ]
