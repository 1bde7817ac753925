export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const copied = () => { button.querySelector("span").textContent = "Copied"; };
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(data.text); copied(); } catch {  // a page that is not served securely
      const field = document.body.appendChild(document.createElement("textarea"));
      field.value = data.text; field.select();
      if (document.execCommand("copy")) copied();
      field.remove();
    }
  };
}
