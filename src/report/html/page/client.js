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
    ratio: (n) => n >= 16 ? "≥16×" : n <= 1 / 16 ? "≤¹⁄₁₆×" : `${Number(n.toPrecision(3))}×`,
  };
  const RATIOS = [1 / 16, 1 / 4, 1, 4, 16];
  const zone = knownZone(data.zone ?? "UTC");
  const local = localFormat(zone);

  const AXES = {
    seconds: {
      scale: { time: false },
      axis: {
        space: 60,
        incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400],
        values: (_, ticks) => ticks.map(clock),
      },
      write: (seconds) => clock(seconds),
    },
    utc: {
      scale: { time: true },
      axis: {
        space: 130,
        label: zone,
        labelSize: 16,
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
    if (chart) drawn.push(draw(figure, chart));
  }
  // Lets tests of the page access the charts.
  globalThis.reportCharts = drawn.map(({ plot }) => plot);

  function draw(figure, chart) {
    const place = figure.querySelector(".plot");
    const rule = place.appendChild(document.createElement("i"));
    rule.className = "rule";
    const keys = [...figure.querySelectorAll(".key")];
    const axis = AXES[chart.axis] ?? AXES.seconds;
    const write = UNITS[chart.unit];
    const color = (element) => getComputedStyle(element).color;
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const lines = { stroke: () => color(rule), width: 1 };
    const plain = { stroke: () => color(place), font, ticks: { show: false }, grid: lines };
    const plot = new uPlot(
      {
        width: place.clientWidth,
        height: place.clientHeight,
        legend: { show: false },
        tzDate: (seconds) =>
          uPlot.tzDate(new Date(seconds * 1e3), zone === "UTC" ? "Etc/UTC" : zone),
        cursor: {
          sync: { key: chart.axis },
          drag: { x: true, y: false },
          points: { size: 7 },
          y: false,
        },
        scales: {
          x: axis.scale,
          y: chart.unit === "ratio"
            ? { distr: 3, log: 2, range: () => [RATIOS[0], RATIOS.at(-1)] }
            : { range: (_, low, high) => yRange(chart.unit, low, high) },
        },
        axes: [
          { ...plain, ...axis.axis, labelFont: font, size: 26, gap: 4 },
          {
            ...plain,
            ...(chart.unit === "ratio" && { splits: () => RATIOS, filter: (_, ticks) => ticks }),
            size: 58,
            gap: 6,
            space: 28,
            values: (_, ticks) => ticks.map(write),
          },
        ],
        series: [
          {},
          ...chart.series.map((series, i) => ({
            label: series.label,
            stroke: () => color(keys[i].querySelector("i")),
            width: 1.5,
            dash: series.dashed ? [5, 4] : undefined,
            paths: series.stepped ? uPlot.paths.stepped({ align: -1 }) : undefined,
            points: { show: series.values.length < 3 },
            spanGaps: chart.axis === "percentiles",
          })),
        ],
        hooks: {
          setCursor: [(self) => read(self)],
          setScale: [(self, key) => key === "x" && zoomTogether(self)],
        },
      },
      [data.axes[chart.axis], ...chart.series.map(({ values }) => values)],
      place,
    );
    const at = figure.querySelector(".at");
    const outputs = keys.map((key) => key.querySelector("output"));
    const entry = { plot, place, axis: chart.axis, describePoint };
    place.addEventListener("keydown", (event) => steer(event, entry));
    return entry;

    function read({ cursor: { idx }, data: [x, ...lines] }) {
      const on = idx !== null && idx !== undefined && idx < x.length;
      at.textContent = on ? axis.write(x[idx]) : "";
      lines.forEach((values, i) => {
        outputs[i].textContent = on ? (values[idx] === null ? "–" : write(values[idx])) : "";
      });
    }

    function describePoint() {
      return [
        at.textContent,
        ...chart.series.map(({ label }, i) => `${label} ${outputs[i].textContent}`),
      ]
        .join(", ");
    }
  }

  function yRange(unit, low, high) {
    if (low === null || high === null || high <= 0) return [0, unit === "share" ? 0.01 : 1];
    return unit === "share" ? [0, Math.min(1, high * 1.1)] : [0, high * 1.1];
  }

  function zoomTogether(from) {
    const { min, max } = from.scales.x;
    const entry = drawn.find(({ plot }) => plot === from);
    if (!entry) return;
    for (const other of drawn) {
      const { x } = other.plot.scales;
      if (other === entry || other.axis !== entry.axis || (x.min === min && x.max === max)) {
        continue;
      }
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
      plot.setScale("x", { min: x[0], max: x[last] });
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
    const more = document.createElement("button");
    more.type = "button";
    more.className = "more";
    more.textContent = `Show all ${table.tBodies[0].rows.length} rows`;
    more.addEventListener("click", () => showAll(table));
    table.parentElement.after(more);
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
    for (const table of target.parentElement.querySelectorAll("table")) showAll(table);
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

  // A link to a row that the search hides shows all rows again.
  addEventListener("hashchange", () => {
    const row = document.getElementById(location.hash.slice(1))?.closest("tr");
    if (!row?.hidden) return;
    const search = row.closest("section").querySelector("input[type=search]");
    search.value = "";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    row.scrollIntoView();
  });

  // Buttons that copy an edit.

  for (const edit of document.querySelectorAll("pre.edit")) {
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    copy.addEventListener("click", () => copyText(edit));
    edit.before(copy);
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

  // Printed pages show all lists.
  addEventListener("beforeprint", () => {
    for (const list of document.querySelectorAll("td details")) list.open = true;
  });

  // Size and colors.

  let printing = false;
  const fit = () => {
    if (printing) return;
    for (const { plot, place } of drawn) {
      plot.setSize({ width: place.clientWidth, height: place.clientHeight });
    }
  };
  new ResizeObserver(fit).observe(document.querySelector("main"));

  // The print layout cannot be measured before it is drawn. Charts are drawn at half the width of an
  // A4 page, and the style sheet scales them to their columns.
  addEventListener("beforeprint", () => {
    printing = true;
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

  const theme = document.createElement("button");
  theme.type = "button";
  theme.className = "theme";
  const isDark = () => {
    const chosen = document.documentElement.style.colorScheme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const label = () => theme.textContent = isDark() ? "Light" : "Dark";
  theme.addEventListener("click", () => {
    document.documentElement.style.colorScheme = isDark() ? "light" : "dark";
    label();
    redraw();
  });
  label();
  document.querySelector("header").append(theme);
})();
