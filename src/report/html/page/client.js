// Draws the charts of a report, and sorts and filters its tables. Runs in the browser. The page
// already contains everything except the charts.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("charts").textContent);
  const live = document.querySelector(".live");
  const drawn = [];

  const UNITS = {
    count: number,
    rate: (n) => `${number(n)}/s`,
    ms: time,
    share: (n) => `${Number((100 * n).toPrecision(3))}%`,
  };
  const zone = knownZone(data.zone ?? "UTC");
  const local = localFormat(zone);

  const SECONDS = {
    scale: { time: false },
    axis: {
      space: 60,
      incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400],
      values: (_, ticks) => ticks.map(clock),
      label: "time since the start",
    },
    write: moment,
  };
  const AXES = {
    seconds: SECONDS,
    utc: {
      scale: { time: true },
      axis: {
        space: 130,
        label: zone,
        values: (_, ticks, __, ___, step) => ticks.map((tick) => date(tick, step, ticks)),
      },
      write: (seconds) => `${iso(seconds)} ${zone}`,
    },
    percentiles: {
      scale: { time: false, distr: 3, log: 10, range: (_, low, high) => [low, high] },
      axis: {
        splits: (_, __, low, high) =>
          [1, 2, 4, 10, 20, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].filter((at) =>
            at >= low && at <= high
          ),
        filter: apart,
        values: (_, ticks) => ticks.map((at) => at === null ? "" : percentile(at)),
        label: "share of requests that are faster",
      },
      write: (at) => `p${percentile(at).slice(0, -1)}`,
    },
  };

  function localFormat(timeZone) {
    return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  }

  /** Older browsers know no zones such as `+02:00`. */
  function knownZone(name) {
    try {
      localFormat(name);
      return name;
    } catch {
      return "UTC";
    }
  }

  function number(n) {
    if (Math.abs(n) >= 1e6) return `${Number((n / 1e6).toPrecision(3))}M`;
    if (Math.abs(n) >= 1e4) return `${Number((n / 1e3).toPrecision(3))}k`;
    return String(Number(n.toPrecision(4)));
  }

  function time(ms) {
    if (ms === 0) return "0";
    if (ms < 1) return `${Number((ms * 1e3).toPrecision(3))}µs`;
    if (ms < 1e3) return `${Number(ms.toPrecision(3))}ms`;
    return `${Number((ms / 1e3).toPrecision(3))}s`;
  }

  function clock(seconds) {
    const two = (n) => String(n).padStart(2, "0");
    const whole = Math.round(seconds);
    const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  }

  /** Formats seconds since the start of the run, with the time of day if the start is known. */
  function moment(seconds) {
    if (data.start === undefined) return clock(seconds);
    const time = new Date((data.start + seconds) * 1e3).toISOString().slice(11, 19);
    return `${clock(seconds)} (${time} UTC)`;
  }

  /** Formats Unix seconds in the zone of the page, such as `2026-11-21 10:00:00`. */
  function iso(seconds) {
    return local.format(new Date(seconds * 1e3));
  }

  /** Formats a tick in the zone of the page. Includes the date if the ticks span several days, and the time unless the ticks are days apart. */
  function date(seconds, step, ticks) {
    const text = iso(seconds);
    const days = new Set(ticks.map((tick) => iso(tick).slice(0, 10)));
    const day = days.size > 1 ? text.slice(0, 10) : "";
    const clock = step < 86400 ? text.slice(11, step < 60 ? 19 : 16) : "";
    return [day, clock].filter(Boolean).join(" ");
  }

  /** Replaces ticks whose labels have too little space with null. */
  function apart(plot, ticks) {
    let last = -Infinity;
    return ticks.map((tick) => {
      const place = plot.valToPos(tick, "x");
      if (place - last < 54) return null;
      last = place;
      return tick;
    });
  }

  function percentile(at) {
    return `${Number((100 - 100 / at).toFixed(Math.max(1, Math.ceil(Math.log10(at)))))}%`;
  }

  for (const figure of document.querySelectorAll("figure[data-chart]")) {
    const chart = data.charts[Number(figure.dataset.chart)];
    drawn.push(draw(figure, chart, data.axes[chart.axis]));
  }
  // Lets tests of the page access the charts.
  globalThis.reportCharts = drawn.map(({ plot }) => plot);

  /** Draws a chart in `figure`. `key` is the group of charts that share cursor and zoom. */
  function draw(figure, chart, xs, key = chart.axis) {
    const { title, label, series, unit, limits = [] } = chart;
    const caption = figure.appendChild(element("figcaption"));
    caption.append(element("b", "", title), " ");
    const keys = series.map(({ label, tone, dashed }, i) => {
      const key = caption.appendChild(
        button(`key ${tone}${dashed ? " dashed" : ""}`, "", () => {
          const show = key.getAttribute("aria-pressed") !== "true";
          key.setAttribute("aria-pressed", String(show));
          plot.setSeries(i + 1, { show });
        }),
      );
      key.title = "Show or hide this line";
      key.setAttribute("aria-pressed", "true");
      key.append(element("i"), label);
      return key;
    });
    for (const { label } of limits) {
      caption.appendChild(element("span", "key warn dashed")).append(element("i"), label);
    }
    const place = figure.appendChild(element("div", "plot"));
    place.tabIndex = 0;
    place.role = "img";
    place.ariaLabel = `${title}: ${series.map(({ label }) => label).join(", ")}. ` +
      "Arrow keys move the cursor, plus and minus zoom, Escape resets the zoom.";
    const rule = place.appendChild(element("i", "rule"));
    const axis = AXES[chart.axis] ?? SECONDS;
    const write = UNITS[unit];
    const color = (element) => getComputedStyle(element).color;
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const lines = { stroke: () => color(rule), width: 1 };
    const titled = { labelFont: font, labelSize: 18, labelGap: 2 };
    const plain = { stroke: () => color(place), font, ticks: { show: false }, grid: lines };
    const tip = tooltip(place, chart);
    const plot = new uPlot(
      {
        width: place.clientWidth,
        height: place.clientHeight,
        legend: { show: false },
        tzDate: (seconds) =>
          uPlot.tzDate(new Date(seconds * 1e3), zone === "UTC" ? "Etc/UTC" : zone),
        cursor: { sync: { key }, drag: { x: true, y: false }, points: { size: 7 }, y: false },
        scales: {
          x: axis.scale,
          y: { range: (_, low, high) => yRange(unit, low, high, limits) },
        },
        axes: [
          { ...plain, ...titled, ...axis.axis, size: 26, gap: 4 },
          {
            ...plain,
            ...titled,
            label,
            size: 58,
            gap: 6,
            space: 28,
            values: (_, ticks) => ticks.map(write),
          },
        ],
        series: [
          {},
          ...series.map(({ label, dashed, stepped, values }, i) => ({
            label,
            stroke: () => color(keys[i].querySelector("i")),
            width: 1.5,
            dash: dashed ? [5, 4] : undefined,
            paths: stepped ? uPlot.paths.stepped({ align: -1 }) : undefined,
            points: { show: values.length < 3 },
            spanGaps: chart.axis === "percentiles",
          })),
        ],
        hooks: {
          setCursor: [(self) => tip.show(self, axis, write)],
          setScale: [(self, key) => key === "x" && zoomTogether(self)],
          draw: [(self) => drawLimits(self, limits, color(tip.warn))],
        },
      },
      [xs, ...series.map(({ values }) => values)],
      place,
    );
    const reset = caption.appendChild(button("tool", "Reset zoom", () => showAllPoints(plot)));
    reset.hidden = true;
    const entry = { plot, place, key, reset, describePoint: tip.text };
    place.addEventListener("keydown", (event) => steer(event, entry));
    return entry;
  }

  function element(tag, className = "", text = "") {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function button(className, text, press) {
    const made = element("button", className, text);
    made.type = "button";
    if (press) made.addEventListener("click", press);
    return made;
  }

  /** Creates the tooltip of a chart. It is visible only in the chart that has the pointer or the focus. */
  function tooltip(place, chart) {
    const box = place.appendChild(element("div", "tip"));
    const warn = place.appendChild(element("i", "warn-color"));
    box.hidden = true;
    const at = box.appendChild(element("b", "at"));
    const rows = chart.series.map(({ label, tone }) => {
      const row = box.appendChild(element("div", tone));
      row.append(element("i"), `${label} `);
      return { row, label, value: row.appendChild(element("b")) };
    });
    let isOn = false;
    place.addEventListener("mouseleave", () => box.hidden = true);
    place.addEventListener("blur", () => box.hidden = true);
    return { warn, show, text };

    function show(self, axis, write) {
      const { cursor: { idx, left }, data: [x, ...lines], series } = self;
      isOn = idx !== null && idx !== undefined && idx < x.length;
      box.hidden = !isOn || !place.matches(":hover, :focus, :focus-within");
      if (!isOn) return;
      at.textContent = axis.write(x[idx]);
      lines.forEach((values, i) => {
        rows[i].row.hidden = !series[i + 1].show;
        rows[i].value.textContent = values[idx] === null || values[idx] === undefined
          ? "–"
          : write(values[idx]);
      });
      if (box.hidden) return;
      const start = self.bbox.left / devicePixelRatio + left;
      const room = place.clientWidth - box.offsetWidth;
      const right = start + 14;
      box.style.left = `${Math.max(0, right <= room ? right : start - 14 - box.offsetWidth)}px`;
    }

    function text() {
      if (!isOn) return "";
      const values = rows.filter(({ row }) => !row.hidden)
        .map(({ label, value }) => `${label} ${value.textContent}`);
      return [at.textContent, ...values].join(", ");
    }
  }

  function drawLimits({ ctx, bbox: { left, width }, scales: { y }, valToPos }, limits, color) {
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const { value } of limits) {
      if (!(value >= y.min && value <= y.max)) continue;
      const top = Math.round(valToPos(value, "y", true));
      ctx.beginPath();
      ctx.moveTo(left, top);
      ctx.lineTo(left + width, top);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** Returns the range of the y-axis. Includes limits that are not far above the values. */
  function yRange(unit, low, high, limits) {
    if (low === null || high === null || high <= 0) return [0, unit === "share" ? 0.01 : 1];
    const near = limits.map(({ value }) => value).filter((value) => value <= 2.5 * high);
    const top = Math.max(high, ...near) * 1.1;
    return [0, unit === "share" ? Math.min(1, top) : top];
  }

  function showAllPoints({ data: [x], setScale }) {
    setScale("x", { min: x[0], max: x[x.length - 1] });
  }

  function zoomTogether(from) {
    const { min, max } = from.scales.x;
    const entry = drawn.find(({ plot }) => plot === from);
    if (!entry) return;
    const [x] = from.data;
    entry.reset.hidden = x.length < 2 || (min <= x[0] && max >= x[x.length - 1]);
    for (const other of drawn) {
      const { x } = other.plot.scales;
      if (other === entry || other.key !== entry.key || (x.min === min && x.max === max)) continue;
      other.plot.setScale("x", { min, max });
    }
  }

  /** Handles keys: arrow keys move the cursor, plus and minus zoom around it, and Escape resets the zoom. */
  function steer(event, { plot, describePoint }) {
    const x = plot.data[0];
    const last = x.length - 1;
    const step = event.shiftKey ? Math.max(10, Math.round(last / 20)) : 1;
    const now = plot.cursor.idx ?? -1;
    const goals = { ArrowRight: now + step, ArrowLeft: now - step, Home: 0, End: last };
    if (event.key in goals) {
      const index = Math.max(0, Math.min(last, goals[event.key]));
      const { min, max } = plot.scales.x;
      if (x[index] < min || x[index] > max) {
        const low = Math.max(x[0], Math.min(x[last] - (max - min), x[index] - (max - min) / 2));
        plot.setScale("x", { min: low, max: low + max - min });
      }
      // uPlot commits changes in a separate microtask, so wait for it.
      queueMicrotask(() => {
        plot.setCursor({ left: plot.valToPos(x[index], "x"), top: 0 });
        queueMicrotask(() => live.textContent = describePoint());
      });
    } else if (event.key === "+" || event.key === "-") {
      zoom(plot, event.key === "+" ? 0.5 : 2);
    } else if (event.key === "Escape") {
      showAllPoints(plot);
    } else return;
    event.preventDefault();
  }

  function zoom(plot, factor) {
    const x = plot.data[0];
    const { min, max } = plot.scales.x;
    const middle = x[plot.cursor.idx ?? -1] ?? (min + max) / 2;
    const half = Math.max((max - min) / 2 * factor, x.length > 1 ? x[1] - x[0] : 1);
    plot.setScale("x", {
      min: Math.max(x[0], middle - half),
      max: Math.min(x[x.length - 1], middle + half),
    });
  }

  // Sorting and filtering.

  document.addEventListener("click", ({ target }) => {
    const head = target.closest("table.sortable thead th");
    if (head) sort(head.closest("table"), head);
  });

  function sort(table, head) {
    closeDetails(table);
    const heads = [...table.tHead.rows[0].cells];
    const column = heads.indexOf(head);
    const isNumber = head.classList.contains("n");
    const before = head.getAttribute("aria-sort");
    const order = before === "none"
      ? (isNumber ? "descending" : "ascending")
      : before === "descending"
      ? "ascending"
      : "descending";
    for (const other of heads) other.setAttribute("aria-sort", other === head ? order : "none");
    const sign = order === "ascending" ? 1 : -1;
    const value = (row) => {
      const cell = row.cells[column];
      return isNumber ? Number(cell.dataset.value ?? -Infinity) : cell.textContent;
    };
    const compare = (a, b) => isNumber ? a - b : a.localeCompare(b);
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, value: value(row) }));
    rows.sort((a, b) => sign * compare(a.value, b.value));
    table.tBodies[0].append(...rows.map(({ row }) => row));
    if (table.dataset.first) showFirst(table);
  }

  // Long tables show their first rows until the reader asks for all.

  for (const table of document.querySelectorAll("table[data-first]")) {
    showFirst(table);
    const text = `Show all ${table.tBodies[0].rows.length} rows`;
    table.parentElement.after(button("more", text, () => showAll(table)));
  }

  function showFirst(table) {
    [...table.tBodies[0].rows].forEach((row, i) => row.hidden = i >= Number(table.dataset.first));
  }

  function showAll(table) {
    if (!table.dataset.first) return;
    delete table.dataset.first;
    for (const row of table.tBodies[0].rows) row.hidden = false;
    table.parentElement.nextElementSibling.remove();
  }

  document.addEventListener("input", ({ target }) => {
    if (!target.matches("input[type=search]")) return;
    for (const table of target.parentElement.querySelectorAll("table")) {
      closeDetails(table);
      showAll(table);
    }
    const wanted = target.value.toLowerCase();
    const rows = [...target.parentElement.querySelectorAll("tbody tr")];
    let shown = 0;
    for (const row of rows) {
      const text = target.dataset.filters === "rows" ? row.textContent : row.cells[0].textContent;
      row.hidden = !text.toLowerCase().includes(wanted);
      if (!row.hidden) shown++;
    }
    live.textContent = `${shown} of ${rows.length} rows`;
  });

  // Following a link to a hidden element shows the element.
  addEventListener("hashchange", reveal);

  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    const list = target.closest("details") ?? target.querySelector(":scope > details.folded");
    if (list !== null && !list.open) {
      list.open = true;
      target.scrollIntoView();
    }
    const row = target.closest("tr");
    if (row === null) return;
    if (row.hidden) {
      const search = row.closest("section").querySelector("input[type=search]");
      if (search !== null) search.value = "";
      search?.dispatchEvent(new Event("input", { bubbles: true }));
      showAll(row.closest("table"));
      row.scrollIntoView();
    }
    if (row.querySelector("a.opens") && !row.nextElementSibling?.matches(".detail")) {
      openDetails(row);
    }
  }

  // Details of endpoints open below their rows.

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.opens");
    if (link === null) return;
    event.preventDefault();
    const row = link.closest("tr");
    if (row.nextElementSibling?.matches(".detail")) return closeDetail(row.nextElementSibling);
    history.replaceState(null, "", link.hash);
    openDetails(row);
  });

  function openDetails(row) {
    const detail = data.details?.[Number(row.id.replace("endpoint-", ""))];
    if (detail === undefined) return;
    row.querySelector("a.opens").setAttribute("aria-expanded", "true");
    const holder = element("tr", "detail");
    const cell = holder.appendChild(document.createElement("td"));
    cell.colSpan = row.cells.length;
    const box = cell.appendChild(element("div", "endpoint"));
    box.style.width = `${row.closest(".scroll").clientWidth}px`;
    const facts = box.appendChild(element("dl", "facts"));
    for (const [name, text] of detail.facts) {
      const fact = facts.appendChild(document.createElement("div"));
      fact.append(element("dt", "", name), element("dd", "", text));
    }
    row.after(holder);
    const [line] = detail.charts[0].series;
    if (line.values.length < 2) return;
    const xs = line.values.map((_, i) => (i + 1) * detail.step);
    const charts = box.appendChild(element("div", "charts"));
    for (const chart of detail.charts) {
      drawn.push(draw(charts.appendChild(element("figure")), chart, xs, row.id));
    }
  }

  function closeDetails(table) {
    for (const detail of table.querySelectorAll("tr.detail")) closeDetail(detail);
  }

  function closeDetail(detail) {
    const link = detail.previousElementSibling?.querySelector("a.opens");
    link?.removeAttribute("aria-expanded");
    for (const entry of drawn.filter(({ place }) => detail.contains(place))) {
      drawn.splice(drawn.indexOf(entry), 1);
      entry.plot.destroy();
    }
    detail.remove();
  }

  // Buttons that copy an edit.

  for (const edit of document.querySelectorAll("pre.edit")) {
    edit.before(button("copy", "Copy", () => copyText(edit)));
  }

  async function copyText(element) {
    try {
      await navigator.clipboard.writeText(element.textContent);
      live.textContent = "Copied";
    } catch {
      // Pages from disk may not write to the clipboard. The user copies the selection.
      getSelection().selectAllChildren(element);
      live.textContent = "Selected: press Ctrl-C to copy";
    }
  }

  // Size and colors.

  let printing = false;
  const fit = () => {
    if (printing) return;
    for (const { plot, place } of drawn) {
      plot.setSize({ width: place.clientWidth, height: place.clientHeight });
    }
  };
  new ResizeObserver(fit).observe(document.querySelector("main"));

  // Printed pages show all lists. Their layout cannot be measured before it is drawn: charts have half
  // the width of an A4 page, and the style sheet scales them to their columns.
  addEventListener("beforeprint", () => {
    printing = true;
    for (const list of document.querySelectorAll("details")) list.open = true;
    for (const { plot } of drawn) plot.setSize({ width: 340, height: 170 });
  });
  addEventListener("afterprint", () => {
    printing = false;
    fit();
  });

  const redraw = () => drawn.forEach(({ plot }) => plot.redraw(false));
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", redraw);
  }

  if (location.hash !== "") reveal();
})();
