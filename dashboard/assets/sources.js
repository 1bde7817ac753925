const RUNNING = '[data-test-script-state="running"], [data-test-script-state$="Requested"]';
let waiting = 0;
export default function ({ setTriggerValue }) {
  const tell = (chosen) => {  // not while something runs: it would end an answer that is being written
    clearTimeout(waiting);
    const runs = document.querySelector(RUNNING);
    document.documentElement.style.cursor = runs ? "progress" : "";
    if (runs) waiting = setTimeout(tell, 150, chosen);
    else setTriggerValue("chosen", chosen);
  };
  const open = (event) => {
    const link = event.target.closest ? event.target.closest('a[href^="#source-"]') : null;
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    tell(link.getAttribute("href").slice("#source-".length));
  };
  document.addEventListener("click", open, true);
  return () => document.removeEventListener("click", open, true);
}
