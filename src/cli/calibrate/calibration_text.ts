import { plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type {
  CalibratedCall,
  Calibration,
  CallContent,
  CountedDifference,
} from "../../calibrate/calibration.ts";
import { isGood } from "../../calibrate/verdicts.ts";
import { type Block, listSection, type Section } from "../../report/blocks.ts";
import { printText, style } from "../../report/text/print_blocks.ts";
import { listFindings, NAME_WIDTH, type Show } from "./findings.ts";
import { callVerdictText, verdictLine } from "./verdict_text.ts";

/** Maximum number of lines of an explanation. */
const MOST_LINES = 400;

/** Formats a calibration as text, with the verdict in the first line. Hides secrets. */
export function calibrationText(
  found: Calibration,
  redact: Redactor,
  explain: boolean,
): string {
  const show = (text: string, max = 60) => safeSnippet(redact(text), max);
  const findings = listFindings(found, show, (index) => `call ${index + 1}`)
    .filter(({ isNeeded }) => explain || isNeeded)
    .map(({ title, items }) =>
      listSection(
        `${title} (${items.length})`,
        items.map(([subject, message]) => `${subject}: ${message}`),
      )
    );
  const blocks = [
    ...callSections(found, show, explain),
    ...contentBlocks(found, show, explain),
    ...findings,
    ...(explain ? [explanationSection(found, show)] : []),
  ];
  const lines = [
    verdictLine(found),
    "",
    ...printText(blocks, style(false, Infinity)),
    ...(explain ? [] : editLines(found)),
    ...discardedLines(found, show),
    `${plural(found.writes.sent, "write")} sent (limit ${found.writes.limit})`,
  ];
  return lines.map((line) => safeText(line)).join("\n") + "\n";
}

/**
 * Lists the calls of each scenario with their verdicts. Unless `isWhole`, only those that are not
 * as recorded.
 */
function callSections(found: Calibration, show: Show, isWhole: boolean): Section[] {
  const scenarios = Map.groupBy(found.calls, ({ scenario }) => scenario);
  const which = isWhole ? "" : " that are not as recorded";
  return [...scenarios].map(([scenario, calls]) =>
    listSection(
      (scenarios.size === 1 ? "Calls" : `Calls of ${show(scenario, NAME_WIDTH)}`) + which,
      calls.filter((call) => isWhole || !isGood(call)).map((call) => {
        const number = String(call.index + 1).padStart(2);
        const name = show(call.name, NAME_WIDTH).padEnd(NAME_WIDTH);
        return `${number}  ${name}  ${callVerdictText(call, found, show)}`;
      }),
    )
  );
}

/**
 * Reports which lists are empty only in live responses, and which calls returned content that
 * differs from the recording. With `explain`, also shows each difference.
 */
export function contentBlocks({ calls }: Calibration, show: Show, explain: boolean): Block[] {
  const content = contentFindings(calls, show);
  const count = plural(content.calls.length, "call");
  return [
    listSection(
      `Warning: lists that are empty, but have items in the recording (${content.emptied.length})`,
      content.emptied,
    ),
    listSection("The same difference in several calls", content.common),
    ...(explain
      ? [listSection("Content that differs from the recording", content.others)]
      : content.calls.length === 0
      ? []
      : [{
        lines: [
          `${count} with content that differs from the recording: ${content.calls.join(", ")} ` +
          "(`--explain` lists the differences)",
          "",
        ],
      }]),
  ];
}

type DifferingCall = CalibratedCall & { readonly content: CallContent };

/** Calls whose content differs from the recording, and how. */
interface ContentFindings {
  /** Lists that are empty, but have items in the recording. */
  readonly emptied: readonly string[];
  /** Differences that are the same in several calls. */
  readonly common: readonly string[];
  readonly others: readonly string[];
  /** One-based numbers of the calls in which the other differences were found. */
  readonly calls: readonly number[];
}

/** Minimum number of calls in which a difference is common. */
const COMMON = 3;

/** Lists the differences in content, which do not affect the verdicts. */
function contentFindings(calls: readonly CalibratedCall[], show: Show): ContentFindings {
  const differing = calls.filter((call): call is DifferingCall => call.content !== undefined);
  const all = differing.flatMap((call) => call.content.differences.map((one) => ({ call, one })));
  const key = ({ kind, place, recorded, live }: CountedDifference) =>
    JSON.stringify([kind, place, recorded, live]);
  const isEmptied = ({ one }: typeof all[number]) => one.kind === "empty list";
  const common = [
    ...Map.groupBy(all.filter((found) => !isEmptied(found)), ({ one }) => key(one)).values(),
  ].filter(({ length }) => length >= COMMON);
  const shared = new Set(common.map(([{ one }]) => key(one)));
  const own = all.filter(({ one }) => !shared.has(key(one)));
  const text = ({ call, one }: typeof all[number]) =>
    `call ${call.index + 1} ${show(call.name, NAME_WIDTH)}: ${show(one.place, 80)}: ` +
    valuesText(one, call.content, show);
  return {
    emptied: all.filter(isEmptied).map(text),
    common: common.map((found) =>
      `${text(found[0])}; also in ${plural(found.length - 1, "other call")}`
    ),
    others: [
      ...own.map(text),
      ...differing.filter(({ content }) => content.more > 0)
        .map(({ index, content }) => `call ${index + 1}: ${content.more} more`),
    ],
    calls: differing.filter((call) =>
      call.content.more > 0 || own.some((found) => found.call === call)
    ).map(({ index }) => index + 1),
  };
}

/** Describes a content difference, such as `recorded "open", live "closed" (2 of 4 responses)`. */
function valuesText(
  { recorded, live, responses }: CountedDifference,
  { responses: all }: CallContent,
  show: Show,
): string {
  const quoted = (text: string) => text === "" ? "nothing" : JSON.stringify(show(text, 100));
  return `recorded ${quoted(recorded)}, live ${quoted(live)} (${responses} of ` +
    `${plural(all, "response")})`;
}

function editLines(
  { extracted, received, unique, moved, pauses, removed }: Calibration,
): string[] {
  const counts = [
    [extracted.length + received.length, "value extracted", "values extracted"],
    [unique.length, "text made unique", "texts made unique"],
    [pauses.length, "pause added", "pauses added"],
    [moved.length, "request moved", "requests moved"],
    [removed.length, "variable removed", "variables removed"],
  ] as const;
  const made = counts.flatMap(([count, one, many]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  );
  return made.length === 0 ? [] : [`${made.join(", ")} (\`--explain\` lists them)`];
}

/** Reports repairs that did harm: which they are, and which calls work only without them. */
function discardedLines({ discarded }: Calibration, show: Show): string[] {
  if (discarded === undefined) return [];
  const repairs = discarded.repairs.length === 0 ? "repairs" : discarded.repairs.join(", ");
  const calls = discarded.calls.map((index) => index + 1).join(", ");
  const work = discarded.calls.length === 1 ? `call ${calls} works` : `calls ${calls} work`;
  return [`discarded: ${show(repairs, 240)}; ${work} only without`];
}

function explanationSection({ explanation }: Calibration, show: Show): Section {
  const more = explanation.length - MOST_LINES;
  return listSection("Evidence", [
    ...explanation.slice(0, MOST_LINES).map((line) => show(line, 240)),
    ...(more > 0 ? [`(${more} more lines)`] : []),
  ]);
}
