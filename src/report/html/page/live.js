// Updates the page of a run in progress. Runs in the browser, after client.js.
(() => {
  "use strict";
  const plots = globalThis.reportCharts;
  const connection = document.getElementById("connection");
  const status = document.querySelector(".live");
  const source = new EventSource("events");

  const controls = document.getElementById("controls");
  const token = location.hash.slice(1);
  controls.hidden = token === "";
  controls.addEventListener("click", async ({ target: { dataset: { action } } }) => {
    if (action === undefined) return;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch("control", { method: "POST", headers, body: action });
    connection.textContent = response.ok ? "" : await response.text();
  });

  on("state", show);

  on("end", (state) => {
    source.close();
    controls.hidden = true;
    show(state);
    connection.textContent = "The run is over. This page keeps its results until you close it.";
    const verdict = document.querySelector(".verdict").textContent.trim();
    document.title = `${verdict.split(" ").slice(0, 2).join(" ")}: ${document.title}`;
    status.textContent = `The run is over: ${verdict}`;
  });

  source.addEventListener("error", () => {
    connection.textContent = "Connection lost: the run has ended or was stopped.";
  });

  function on(kind, act) {
    source.addEventListener(kind, ({ data }) => {
      connection.textContent = "";
      act(JSON.parse(data));
    });
  }

  /** Shows new parts and points. Charts keep their zoom; those not zoomed show all points. */
  function show({ parts, drawn }) {
    for (const [name, text] of Object.entries(parts)) {
      const fresh = new DOMParser().parseFromString(text, "text/html").body;
      become(document.querySelector(`[data-part="${name}"]`), fresh);
    }
    plots.forEach((plot, i) => {
      const [x] = plot.data;
      const { min, max } = plot.scales.x;
      const whole = x.length < 2 || (min <= x[0] && max >= x.at(-1));
      plot.setData([drawn.x, ...drawn.lines[i]], whole);
      if (!whole) plot.redraw();
    });
  }

  /** Makes the content of `old` equal to `fresh`. Changes only nodes that differ, to keep focus, selection and scroll positions. */
  function become(old, fresh) {
    const nodes = [...fresh.childNodes];
    nodes.forEach((node, i) => {
      const before = old.childNodes[i];
      if (before === undefined) old.append(node);
      else if (before.nodeName !== node.nodeName) before.replaceWith(node);
      else if (before.nodeType === Node.ELEMENT_NODE) {
        copyAttributes(before, node);
        become(before, node);
      } else if (before.data !== node.data) before.data = node.data;
    });
    while (old.childNodes.length > nodes.length) old.lastChild.remove();
  }

  function copyAttributes(old, fresh) {
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  }
})();
