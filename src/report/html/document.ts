import type { ChartData } from "./chart.ts";
import { type Content, jsonMarkup, Markup, markup } from "../markup.ts";
import SCRIPT from "./page/client.js" with { type: "text" };
import STYLE from "./page/style.css" with { type: "text" };
import UPLOT_SCRIPT from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import UPLOT_STYLE from "uplot/dist/uPlot.min.css" with { type: "text" };

/** Content of an HTML page. */
export interface HtmlPage {
  readonly title: string;
  readonly body: Content;
  /** Data for the charts. A page without charts does not contain the chart library. */
  readonly charts?: ChartData;
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
export async function document(page: HtmlPage): Promise<string> {
  const { title, body, charts, script: more } = page;
  const library = charts === undefined ? [] : [UPLOT_SCRIPT];
  const script = [...library, SCRIPT, ...(more === undefined ? [] : [more])].join("\n");
  const style = charts === undefined ? STYLE : `${UPLOT_STYLE}\n${STYLE}`;
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
        <script type="application/json" id="charts">${jsonMarkup(charts ?? NO_CHARTS)}</script>
        <script>${new Markup(script)}</script>
      </body>
    </html>
  `;
  return `${whole.text}\n`;
}

const NO_CHARTS: ChartData = { axes: {}, charts: [] };

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}
