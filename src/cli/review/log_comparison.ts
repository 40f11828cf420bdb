import { formatNumber, percent, plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { type Column, nameCell, shareCell, type Table, table } from "../../report/blocks.ts";
import { document } from "../../report/html/print_html.ts";
import { printTable, style } from "../../report/text/print_blocks.ts";
import { LEAST_COVERED, type LogComparison } from "../../verify/log/compare_with_log.ts";

const MAX_ENDPOINTS = 12;

export function logComparisonText(found: LogComparison): string {
  const tables = comparisonTables(found).map((one) => printTable(one, style(false, Infinity)));
  return [describeComparison(found), ...tables.flatMap((lines) => ["", ...lines]), ""].join("\n");
}

function comparisonTables(found: LogComparison): Table[] {
  const columns: Column<[string, string]>[] = [
    { title: "", cell: ([aspect]) => aspect },
    { title: "", cell: ([, words]) => words },
  ];
  return [table("Aspects", columns, describeAspects(found)), endpointTable(found)];
}

function endpointTable({ mix }: LogComparison): Table {
  return table(
    "Endpoints",
    [
      { title: "Endpoint", long: "cut", cell: ({ endpoint }) => nameCell(endpoint) },
      { title: "Share of the log", cell: ({ log }) => shareCell(log) },
      { title: "Share of the run", cell: ({ run }) => shareCell(run) },
      {
        title: "Difference",
        cell: ({ log, run }) => ({
          text: `${run >= log ? "+" : "-"}${percent(Math.abs(run - log))}`,
          value: Math.abs(run - log),
        }),
      },
    ],
    mix.endpoints,
    {
      sortable: true,
      first: MAX_ENDPOINTS,
      rest: `and ${mix.endpoints.length - MAX_ENDPOINTS} more with smaller differences`,
    },
  );
}

function describeComparison(
  { asTheLog, hasResponse, mix, rate, statuses, covered }: LogComparison,
): string {
  const others = statuses.beyondChance ? ", but the response statuses differ (see below)" : "";
  if (asTheLog) return `matches the log: the run had the log's mix and rate of requests${others}`;
  const faults = [
    !hasResponse && "no request got a response",
    covered.share < LEAST_COVERED &&
    `the plan covers only ${percent(covered.share)} of the log's requests (\`convert --top\`)`,
    mix.beyondChance &&
    `the mix of endpoints differs, most of all for ${safeSnippet(mix.endpoints[0].endpoint, 44)} ` +
      `(${percent(mix.endpoints[0].run)}, compared with ${
        percent(mix.endpoints[0].log)
      } in the log)`,
    rate.differs && `the rate is ${formatNumber(rate.run / rate.log)} times the log's` +
      (rate.factor === 1 ? "" : `, but the plan sets ${rate.factor} times`),
  ];
  return `differs from the log: ${faults.filter((fault) => fault !== false).join("; ")}`;
}

function chance(isBeyond: boolean, requests: number): string {
  return isBeyond
    ? `more than chance can explain for ${plural(requests, "request")}`
    : `no more than chance can explain for ${plural(requests, "request")}`;
}

function describeAspects(found: LogComparison): [aspect: string, words: string][] {
  const { mix, rate, statuses, covered, requests, dropped, samePlan } = found;
  const lost = dropped > 0 ? `; ${plural(dropped, "iteration")} could not be started` : "";
  return [
    [
      "mix",
      `${percent(mix.share)} of the requests went to different endpoints than in the log: ${
        chance(mix.beyondChance, requests)
      } (expected from chance: ${percent(mix.byChance)})`,
    ],
    [
      "rate",
      `${formatNumber(rate.run)} requests/s, compared with ${formatNumber(rate.log)}/s in the log${
        rate.factor === 1 ? "" : `, of which the plan sends ${rate.factor} times`
      }${lost}`,
    ],
    [
      "timing",
      `cumulative requests deviate from the log by at most ${percent(found.inTime)} of the total`,
    ],
    [
      "responses",
      `${percent(statuses.share)} have a different status class (log in parentheses): ${
        statuses.classes.map(({ status, log, run }) =>
          `${status} ${percent(run)} (${percent(log)})`
        )
          .join(", ")
      }`,
    ],
    [
      "covered",
      `${percent(covered.share)} of the log's requests went to endpoints of the plan ` +
      `(${covered.endpoints} of ${covered.ofEndpoints})`,
    ],
    ...samePlan === false
      ? [
        [
          "plan",
          "the run's plan differs from this plan: options of `run` changed it, or it was edited since",
        ] satisfies [string, string],
      ]
      : [],
  ];
}

/** Renders the comparison of a run with a log as a self-contained HTML page. */
export async function logComparisonPage(found: LogComparison): Promise<string> {
  const title = "Run compared with its log";
  const [tone, banner] = found.asTheLog ? ["good", "✓"] as const : ["bad", "✗"] as const;
  const sections = comparisonTables(found).map((one) => ({ title: one.caption, blocks: [one] }));
  return await document({
    title: `${title}: rehearse`,
    blocks: [{ banner, tone, text: describeComparison(found), title }, ...sections],
  });
}
