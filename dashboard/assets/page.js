const SIDE = 6; // pixels of the page beside what is framed
const placed = new WeakSet();
function place(frame, page) {  // what the viewer has no option for: no badge, and in sight what is framed
  frame.contentDocument.querySelector(".zoom-controls").style.display = "none";
  const boxes = [...page.querySelectorAll('[id^="annotation-"]')];
  if (!boxes.length) return;
  const [left, top, width, height] = ["left", "top", "width", "height"].map((side) => boxes.map((one) => parseFloat(one.style[side])));
  const room = page.parentElement, first = Math.min(...left), last = Math.max(...left.map((one, at) => one + width[at]));
  const fitting = room.clientWidth / (last - first + 2 * SIDE);
  const zoom = window.innerWidth < 500 ? Math.min(Math.max(fitting, 1), 2.5) : 1;
  page.style.zoom = zoom;
  const middle = (Math.min(...top) + Math.max(...top.map((one, at) => one + height[at]))) / 2;
  room.scrollTo((first - SIDE) * zoom, middle * zoom - room.clientHeight / 2);
  const drawer = frame.closest(".st-key-ask-panel, .st-key-source-panel")?.parentElement;  // never the page: its answer stays in sight
  const below = frame.getBoundingClientRect().top + boxes.at(-1).getBoundingClientRect().bottom + 6 * SIDE;
  drawer?.scrollBy(0, Math.max(below - drawer.getBoundingClientRect().bottom, 0));
}
export default function () {
  const look = () => {
    for (const frame of document.querySelectorAll('iframe[title^="streamlit_pdf_viewer"]')) {
      const page = frame.contentDocument?.querySelector("#pdfViewer");
      if (!page?.querySelector("canvas") || placed.has(page)) continue;
      placed.add(page);
      place(frame, page);
      frame.contentDocument.addEventListener("keydown", (event) => {  // a key pressed in a frame stays in it
        if (event.key === "Escape") document.querySelector(".st-key-close-panel button, .st-key-close-source button")?.click();
      });
      new MutationObserver(() => place(frame, page)).observe(page, { childList: true });  // drawn anew at another width
    }
  };
  const looking = setInterval(look, 100);
  return () => clearInterval(looking);
}
