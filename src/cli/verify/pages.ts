import { document, htmlSection } from "../../report/html/document.ts";
import { countCell, type HtmlColumn, htmlTable, shareCell } from "../../report/html/html_table.ts";
import { type Markup, markup } from "../../report/html/markup.ts";
import type { LogComparison } from "../../verify/log/compare_with_log.ts";
import type {
  Counted,
  PlanFault,
  Verification,
  VerificationVerdict,
} from "../../verify/result/verification.ts";
import { describeAspects, describeComparison } from "./log_comparison_text.ts";
import {
  describeCalls,
  describeFix,
  describeOrigin,
  describeVerdict,
} from "./verification_text.ts";

const COUNT: HtmlColumn<Counted<unknown>> = {
  title: "Times",
  cell: ({ count }) => countCell(count),
};

/** Renders the findings of a verification as a self-contained HTML page. */
export async function verificationPage(found: Verification): Promise<string> {
  return await page("Verification", found.verdict, describeVerdict(found), [
    markup`<p>${describeCalls(found)}</p>`,
    htmlSection("Stale values", staleTable(found)),
    htmlSection("Unproven values", unprovenTable(found)),
    htmlSection("Extractors that found nothing", faultTable(found.nothingFound)),
    htmlSection("Requests that could not be sent", faultTable(found.unsent)),
    htmlSection("Calls that differ", differenceTable(found)),
    htmlSection(
      "Recorded calls not sent",
      htmlTable([{ title: "Call", cell: ({ call }) => code(call) }, COUNT], found.neverMade, {
        caption: "Recorded calls not sent",
      }),
    ),
    htmlSection(
      "Requests that are not in the recording",
      htmlTable(
        [{ title: "Request", cell: ({ method, url }) => code(`${method} ${url}`) }, COUNT],
        found.unknown,
        { caption: "Requests that are not in the recording" },
      ),
    ),
  ]);
}

/** Renders the comparison of a run with a log as a self-contained HTML page. */
export async function logComparisonPage(found: LogComparison): Promise<string> {
  const aspects = describeAspects(found).map(([aspect, words]) =>
    markup`<p><strong>${aspect}</strong> ${words}</p>`
  );
  const endpoints = htmlTable(
    [
      { title: "Endpoint", cell: ({ endpoint }) => code(endpoint) },
      { title: "Log", cell: ({ log }) => shareCell(log) },
      { title: "Run", cell: ({ run }) => shareCell(run) },
      { title: "Difference", cell: ({ log, run }) => shareCell(Math.abs(run - log)) },
    ],
    found.mix.endpoints,
    { caption: "Endpoints", sortable: true },
  );
  const title = "Run compared with its log";
  return await page(title, found.asTheLog ? "consistent" : "failed", describeComparison(found), [
    ...aspects,
    htmlSection("Endpoints", endpoints),
  ]);
}

const TONES: Readonly<Record<VerificationVerdict, [tone: string, mark: string]>> = {
  consistent: ["good", "✓"],
  unproven: ["", "?"],
  failed: ["bad", "✗"],
};

function page(
  title: string,
  verdict: VerificationVerdict,
  words: string,
  content: readonly (Markup | undefined)[],
): Promise<string> {
  const [tone, mark] = TONES[verdict];
  const head = markup`
    <header>
      <p class="verdict ${tone}"><strong>${mark}</strong> ${words}</p>
      <h1>${title}</h1>
    </header>
  `;
  return document({
    title: `${title}: rehearse`,
    body: markup`${head}${content}`,
    charts: { axes: {}, charts: [] },
  });
}

function staleTable({ stale }: Verification): Markup | undefined {
  return htmlTable(
    [
      { title: "Value", cell: ({ value }) => code(value) },
      { title: "Sent", cell: ({ why }) => why },
      { title: "In", cell: ({ place, call }) => markup`${code(place)} of ${code(call)}` },
      { title: "Source", cell: ({ producer }) => code(producer) },
      { title: "Fix", cell: (one) => describeFix(one) },
      COUNT,
    ],
    stale,
    { caption: "Stale values" },
  );
}

function unprovenTable({ unproven }: Verification): Markup | undefined {
  return htmlTable(
    [
      { title: "Value", cell: ({ value }) => code(value) },
      { title: "In", cell: ({ place, call }) => markup`${code(place)} of ${code(call)}` },
      { title: "Why", cell: (one) => describeOrigin(one) },
      COUNT,
    ],
    unproven,
    { caption: "Unproven values" },
  );
}

function differenceTable({ differing }: Verification): Markup | undefined {
  return htmlTable(
    [
      { title: "Call", cell: ({ call }) => code(call) },
      { title: "In", cell: ({ place }) => code(place) },
      { title: "Recorded", cell: ({ recorded }) => recorded === undefined ? "-" : code(recorded) },
      { title: "Sent", cell: ({ sent }) => sent === undefined ? "-" : code(sent) },
      COUNT,
    ],
    differing,
    { caption: "Calls that differ" },
  );
}

function faultTable(faults: readonly Counted<PlanFault>[]): Markup | undefined {
  return htmlTable(
    [
      { title: "Request", cell: ({ request }) => code(request) },
      { title: "Problem", cell: ({ message }) => message },
      COUNT,
    ],
    faults,
    { caption: "Problems" },
  );
}

function code(text: string): Markup {
  return markup`<code>${text}</code>`;
}
