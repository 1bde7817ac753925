const KEY = "candor-conversations";
const MOST = 200;
const begunHere = () => {
  try { return JSON.parse(localStorage.getItem(KEY)) || []; } catch { return []; }
};
export default function ({ data, setStateValue }) {
  let begun = begunHere();
  if (data.begun && !begun.includes(data.session)) {
    begun = [...begun, data.session].slice(-MOST);
    try { localStorage.setItem(KEY, JSON.stringify(begun)); } catch { /* a browser that keeps nothing */ }
  }
  const isForeign = !data.begun && !begun.includes(data.session);
  if (isForeign && data.told !== data.session) setStateValue("foreign", data.session);
}
