let shown = null;
export default function ({ data }) {
  if ((data.answer || "") === shown) return;
  shown = data.answer || "";
  const focus = () => {  // until it is so: on a busy machine the input is drawn later, or disabled at first
    const field = document.querySelector('[data-testid="stChatInputTextArea"]');
    const isFree = document.activeElement === document.body && matchMedia("(pointer: fine)").matches;
    if (isFree) field?.focus({ preventScroll: true });
    if (!isFree || document.activeElement === field) clearInterval(focusing);
  };
  const focusing = setInterval(focus, 100);
  const show = () => {
    const question = shown && [...document.querySelectorAll('[data-testid="stChatMessage"]')].at(data.place);
    if (!question) return;
    question.style.scrollMarginTop = "4rem";
    question.scrollIntoView({ block: "start" });
  };
  const later = [60, 300, 700, 1500].map((wait) => setTimeout(show, wait));
  const stop = () => { later.forEach(clearTimeout); clearInterval(focusing); };
  setTimeout(() => clearInterval(focusing), 15_000);
  for (const move of ["wheel", "keydown", "pointerdown", "touchstart"]) {
    document.addEventListener(move, stop, { once: true, passive: true, capture: true });
  }
}
