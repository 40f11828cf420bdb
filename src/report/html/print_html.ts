import UPLOT_SCRIPT from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import UPLOT_STYLE from "uplot/dist/uPlot.min.css" with { type: "text" };
import {
  type Banner,
  type Block,
  type Cell,
  type Chart,
  type ChartData,
  isShown,
  type Section,
  type Table,
  type Tile,
} from "../blocks.ts";
import { type Content, Markup, markup } from "../markup.ts";
import SCRIPT from "./page/client.js" with { type: "text" };
import STYLE from "./page/style.css" with { type: "text" };

/**
 * Renders blocks. Each section gets an id that is made of its title, such as `over-time`. Appends
 * the charts to `drawn`, the charts of the page so far.
 */
export function printHtml(blocks: readonly Block[], drawn: Chart[] = []): Markup {
  const shown = blocks.filter((block) => isShown(block, "page"));
  return markup`${shown.map((block) => printBlock(block, drawn))}`;
}

function printBlock(block: Block, drawn: Chart[]): Content {
  if ("page" in block) return block.page;
  if ("rows" in block) return printTable(block);
  if ("lines" in block) return undefined;
  if ("banner" in block) return markup`<header id="top">${bannerLines(block)}</header>`;
  if ("tiles" in block) return printTiles(block.tiles);
  if ("charts" in block) {
    // The script of the page draws the chart with this index.
    const figures = block.charts.map((chart) =>
      markup`<figure data-chart="${drawn.push(chart) - 1}"></figure>`
    );
    return markup`<div class="charts">${figures}</div>`;
  }
  return printSection(block, drawn);
}

export function bannerLines({ banner, tone, text, title, more }: Banner): Markup {
  // The text states what a mark means.
  const hidden = banner.length === 1 ? markup` aria-hidden="true"` : undefined;
  return markup`
    <p class="verdict"><strong class="${tone}"${hidden}>${banner}</strong> ${text}</p>
    <h1>${title}</h1>
    ${more}
  `;
}

function printTiles(tiles: readonly Tile[]): Markup {
  const items = tiles.map(({ label, cell: { text, value, tone }, detail }) =>
    markup`
      <div>
        <dt>${label}</dt>
        <dd class="${tone}" data-value="${value}">${text}</dd>
        <dd class="faint">${detail}</dd>
      </div>
    `
  );
  return markup`<dl class="metrics">${items}</dl>`;
}

function printSection({ title, note, fold, blocks }: Section, drawn: Chart[]): Markup {
  const content = printHtml(blocks, drawn);
  if (fold === undefined) {
    const caption = note === undefined ? undefined : markup`<p class="note">${note}</p>`;
    return markup`<section id="${
      sectionId(title)
    }"><h2>${title}</h2>${caption}${content}</section>`;
  }
  return markup`
    <section id="${sectionId(title)}">
      <details class="folded"${fold === "open" ? markup` open` : undefined}>
        <summary><h2>${title}</h2></summary>
        ${content}
      </details>
    </section>
  `;
}

function sectionId(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

/** Creates a list of links to the sections of a page. */
export function sectionLinks(sections: readonly Section[]): Markup {
  const links = sections.filter((section) => isShown(section, "page")).map(({ title }) =>
    markup`<a href="#${sectionId(title)}">${title}</a> `
  );
  return markup`<nav aria-label="Sections"><a href="#top">Summary</a> ${links}</nav>`;
}

/** Maximum number of rows in a table that initially shows all its rows. */
const MAX_ROWS = 50;
/** Number of rows that a table with more than 50 rows shows at first. */
const FIRST_ROWS = 10;

function printTable({ caption, sortable = false, filters = "names", ...table }: Table): Markup {
  const { first: most, sortedBy, rowIds, filter } = table;
  const onPage = <Item>(items: readonly Item[]) =>
    items.filter((_, i) => table.columns[i].only !== "text");
  const [columns, rows] = [onPage(table.columns), table.rows.map(onPage)];
  const first = most ?? (rows.length > MAX_ROWS ? FIRST_ROWS : Infinity);
  const sides = columns.map((_, i) => rows.some((row) => row[i].value !== undefined) ? "n" : "");
  const heads = columns.map(({ title, hint }, i) => {
    const side = sides[i];
    if (!sortable) return markup`<th scope="col" class="${side}" title="${hint}">${title}</th>`;
    return markup`
      <th scope="col" class="${side}" title="${hint}" aria-sort="${
      title === sortedBy ? "descending" : "none"
    }">
        <button type="button">${title}</button>
      </th>
    `;
  });
  const search = filter === undefined ? undefined : markup`
    <input type="search" placeholder="${filter}" aria-label="${filter}" data-filters="${filters}">
  `;
  return markup`
    ${search}
    <div class="scroll" tabindex="0" role="region" aria-label="${caption}">
      <table${sortable ? markup` class="sortable"` : undefined}${
    first < rows.length ? markup` data-first="${first}"` : undefined
  }>
        <thead>
          <tr>${heads}</tr>
        </thead>
        <tbody>
          ${rows.map((row, i) => renderRow(row, sides, rowIds && `${rowIds}-${i}`))}
        </tbody>
        ${table.totals && markup`<tfoot>${renderRow(onPage(table.totals), sides)}</tfoot>`}
      </table>
    </div>
  `;
}

function renderRow(
  [name, ...rest]: readonly Cell[],
  [side, ...sides]: readonly string[],
  id?: string,
): Markup {
  return markup`
    <tr${id && markup` id="${id}"`}><th scope="row"${attributes(name, side)}>${
    cellContent(name)
  }</th>${
    rest.map((cell, i) => markup`<td${attributes(cell, sides[i])}>${cellContent(cell)}</td>`)
  }</tr>
  `;
}

function attributes({ value, tone }: Cell, side: string): Markup {
  const classes = [side, tone ?? ""].join(" ").trim();
  const style = classes === "" ? undefined : markup` class="${classes}"`;
  const number = value === undefined ? undefined : markup` data-value="${value}"`;
  return markup`${style}${number}`;
}

function cellContent({ text, isName, detail, page }: Cell): Content {
  const name = page ?? (isName ? markup`<code>${text}</code>` : text);
  return detail === undefined ? name : markup`${name} <small>${detail}</small>`;
}

export interface HtmlPage {
  readonly title: string;
  readonly blocks: readonly Block[];
  /** Data for the charts. A page without charts does not contain the chart library. */
  readonly data?: Omit<ChartData, "charts">;
  /**
   * Additional script, which runs after the script that all pages share. If present, the page may
   * connect to its own origin.
   */
  readonly script?: string;
}

/**
 * Creates a self-contained HTML page. Its content security policy allows only its own script and
 * style, so that recorded text cannot run code.
 */
export async function document(
  { title, blocks, data = { axes: {} }, script: more }: HtmlPage,
): Promise<string> {
  const charts: Chart[] = [];
  const body = printHtml(blocks, charts);
  const isDrawn = charts.length > 0 || data.details !== undefined;
  const library = isDrawn ? [UPLOT_SCRIPT] : [];
  const script = [...library, SCRIPT, ...(more === undefined ? [] : [more])].join("\n");
  const style = isDrawn ? `${UPLOT_STYLE}\n${STYLE}` : STYLE;
  const policy = [
    "default-src 'none'",
    `script-src '${await hash(script)}'`,
    `style-src '${await hash(style)}'`,
    ...(more === undefined ? [] : ["connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const whole = markup`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title}</title>
        <style>${new Markup(style)}</style>
      </head>
      <body>
        <main>
          ${body}
          <p class="live" role="status" aria-live="polite"></p>
        </main>
        <script type="application/json" id="charts">${jsonMarkup({ ...data, charts })}</script>
        <script>${new Markup(script)}</script>
      </body>
    </html>
  `;
  return `${whole.text}\n`;
}

/**
 * Serializes a value as JSON for a `script` element. Escapes characters that could close the
 * element.
 */
function jsonMarkup(value: unknown): Markup {
  const text = JSON.stringify(value);
  return new Markup(
    text.replace(
      /[<>&\u2028\u2029]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}
