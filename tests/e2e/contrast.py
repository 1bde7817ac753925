"""Text that is hard to read: every text a browser shows, its colour against what is painted behind it.

WCAG 2.2, success criterion 1.4.3: a contrast ratio of 4.5 to 1 at least, and of 3 to 1 for large text (24 pixels, or
18.66 in bold) and, by 1.4.11, for icons. Controls that are switched off are exempt. Tables and charts drawn on a
canvas hold no text for the browser; their colours are those of the theme.
"""

from typing import Any

_FAINT = r"""() => {
  const parse = (text) => {
    const found = text.match(/^(?:rgba?|color)\(\s*(srgb )?([^)]*)\)$/);
    if (!found) return null;
    const [r, g, b, a = 1] = found[2].split(/[\s,\/]+/).filter(Boolean).map(Number);
    const scale = found[1] ? 255 : 1;
    return [r * scale, g * scale, b * scale, a];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const chain = (element) => {
    const found = [];
    for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) found.push(one);
    return found;
  };
  const holds = (one, x, y) => {
    const box = one.getBoundingClientRect();
    return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
  };
  const behind = (ancestors, x, y) => {
    let painted = [255, 255, 255, 1];
    const scrolls = ancestors.findIndex((one) => !/visible/.test(getComputedStyle(one).overflow));
    for (const [depth, one] of [...ancestors.entries()].reverse()) {
      if ((scrolls < 0 || depth < scrolls) && !holds(one, x, y)) continue;  // as a slider's value
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour && colour[3] > 0) painted = over(colour, painted);
    }
    const drawing = ancestors.find((one) => one.tagName === 'svg');
    for (const one of drawing?.querySelectorAll('path, rect') ?? []) {
      if (!holds(one, x, y)) continue;
      const style = getComputedStyle(one), colour = parse(style.fill);
      if (colour && colour[3] > 0) painted = over([...colour.slice(0, 3), colour[3] * style.fillOpacity], painted);
    }
    return painted;
  };
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || !element || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('[disabled], [aria-disabled="true"], [data-stale="true"], script, style, noscript')) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const style = getComputedStyle(element);
    if (style.clipPath !== 'none' && element.offsetWidth <= 2) continue;  // for screen readers alone
    const ancestors = chain(element);
    const opacity = ancestors.reduce((all, one) => all * Number(getComputedStyle(one).opacity), 1);
    if (opacity < 0.05) continue;
    const colour = parse(element.closest('svg') ? style.fill : style.color);
    if (!colour) continue;
    const ground = behind(ancestors, (box.left + box.right) / 2, (box.top + box.bottom) / 2);
    const seen = ratio(over([...colour.slice(0, 3), colour[3] * opacity], ground), ground);
    const size = parseFloat(style.fontSize), isBold = Number(style.fontWeight) >= 700;
    const isIcon = /Material|Icon/i.test(style.fontFamily);
    const wanted = isIcon || size >= 24 || (isBold && size >= 18.66) ? 3 : 4.5;
    if (seen >= wanted) continue;
    const place = element.closest('[data-testid]')?.dataset.testid ?? element.tagName.toLowerCase();
    const hex = (c) => '#' + c.slice(0, 3).map((v) => Math.round(v).toString(16).padStart(2, '0')).join('');
    const told = `${seen.toFixed(2)} < ${wanted}: ${hex(over([...colour.slice(0, 3), colour[3] * opacity], ground))}` +
      ` on ${hex(ground)} in ${place}`;
    if (!found.has(told)) found.set(told, text.slice(0, 60));
  }
  return [...found].map(([told, text]) => `${told}: ${text}`);
}"""


def faint_texts(page: Any) -> list[str]:
    """Return what is hard to read on a page as it is now: ratio, colours, where it stands, how it begins.

    Args:
        page: Playwright's page.
    """
    return list(page.evaluate(_FAINT))
