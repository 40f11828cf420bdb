import { markdownTable } from "../markdown_table.ts";
import type { Application } from "./application.ts";
import { findApplication, SETS } from "./applications.ts";
import { confusion, precisionAndRecall } from "./confusion.ts";
import { LOAD, type Measured } from "./measure.ts";
import { PLAN_KINDS } from "./plan_kinds.ts";
import type { LiveCall } from "./run_live.ts";

/**
 * Renders the table in docs/REALITY.md: for each application and kind of plan, the percentage of
 * responses, in all iterations of all users, that were as recorded. The applications of each set
 * are followed by a row with the percentages of the set, if all of them were measured.
 */
export function overviewTable(measured: readonly Measured[]): string {
  const kinds = PLAN_KINDS.filter(({ name }) => measured.some(({ kind }) => kind === name));
  const row = (title: string, results: readonly Measured[]) => {
    const live = kinds.map(({ name }) =>
      results.filter(({ kind }) => kind === name).flatMap(({ live }) => live)
    );
    const most = Math.max(...live.map(({ length }) => length));
    const cells = live.map((calls) => calls.length === most ? percent(calls) : "");
    return [title, String(most / (LOAD.users * LOAD.iterations)), ...cells];
  };
  const rows = Object.entries(SETS).flatMap(([set, applications]) => {
    const of = ({ name }: Application) =>
      measured.filter(({ application }) => application === name);
    const found = applications.filter((application) => of(application).length > 0);
    if (found.length === 0) return [];
    const each = found.map((application) => row(application.title, of(application)));
    return [...each, row(`**${set}**`, found.flatMap(of))];
  });
  return markdownTable([["application", "calls", ...kinds.map(({ title }) => title)], ...rows]);
}

/** Renders a table of the results of each plan, preceded by the commits of the measurements. */
export function resultsTable(measured: readonly Measured[]): string {
  const header = [
    ...["application", "plan", "`verify`", "first iteration", "second iteration", "second user"],
    "stored",
  ];
  const commits = new Set(measured.map(({ commit }) => commit));
  return `Measured at ${[...commits].join(", ")}.\n\n` +
    markdownTable([header, ...measured.map(resultsRow)]);
}

function resultsRow(result: Measured): string[] {
  const { kind, forecast, live, added } = result;
  const application = findApplication(result.application);
  const first = live.filter(({ user }) => user === 1);
  const stored = Object.entries(expectedItems(application))
    .filter(([what, count]) => count > 0 || added[what] !== 0)
    .map(([what, count]) => `${added[what]} of ${count} ${what}`);
  return [
    application.name,
    PLAN_KINDS.find(({ name }) => name === kind)!.title,
    forecast.verdict,
    share(first.filter(({ iteration }) => iteration === 1)),
    share(first.filter(({ iteration }) => iteration === 2)),
    share(live.filter(({ user }) => user === 2)),
    stored.join(", ") || "nothing to store",
  ];
}

function share(calls: readonly LiveCall[]): string {
  return `${calls.filter(isAsRecorded).length} of ${calls.length} (${percent(calls)})`;
}

function percent(calls: readonly LiveCall[]): string {
  const same = calls.filter(isAsRecorded).length;
  return same === calls.length ? "100%" : `${(same / calls.length * 100).toFixed(1)}%`;
}

/** Reports whether all live responses matched the recorded responses and all items were stored. */
export function isPerfect({ application, live, added }: Measured): boolean {
  return live.every(isAsRecorded) &&
    Object.entries(expectedItems(findApplication(application))).every(([what, count]) =>
      added[what] === count
    );
}

/** Returns the number of items, by kind, that the sessions of a measured plan add. */
function expectedItems({ adds }: Application): Record<string, number> {
  const sessions = LOAD.users * LOAD.iterations;
  return Object.fromEntries(
    Object.entries(adds).map(([what, count]) => [what, count * sessions]),
  );
}

function isAsRecorded({ differences }: LiveCall): boolean {
  return differences.length === 0;
}

/** Renders a table that compares the verdicts of `verify` with the results of the live runs. */
export function forecastTable(measured: readonly Measured[]): string {
  const counts = confusion(measured);
  const rows = Object.entries(counts).map(([verdict, count]) => [
    verdict,
    String(count.asRecorded),
    String(count.failedFirst),
    String(count.failedLater),
  ]);
  const header = ["`verify`", "as recorded", "failed first", "failed after another call"];
  const { precision, recall } = precisionAndRecall(counts);
  const share = (part: number) => Number.isNaN(part) ? "–" : `${(part * 100).toFixed(1)}%`;
  return `${markdownTable([header, ...rows])}\n\n` +
    `Precision: ${share(precision)}. Recall: ${share(recall)}.`;
}

/**
 * Lists each call whose live response differed from the recorded response, with the differences and
 * the verdict of `verify`.
 */
export function failures({ recorded, forecast, live }: Measured): string[] {
  const failed = live.filter((call) => !isAsRecorded(call));
  return [...Map.groupBy(failed, ({ call }) => call)].sort(([a], [b]) => a - b).map(
    ([call, times]) => {
      const { index, method, url } = recorded[call];
      const what = `${index + 1}: ${method} ${url} [${forecast.calls[index]}]`;
      const where = Map.groupBy(times, (one) => one.differences.join("; "));
      const list = [...where].map(([text, some]) =>
        `${some.map((one) => `${one.user}/${one.iteration}`).join(" ")}: ${text}`
      );
      return `- ${what}\n    ${list.join("\n    ")}`;
    },
  );
}
