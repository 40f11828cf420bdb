import { plural } from "../../base/format.ts";
import type { HarConversion } from "../../convert/from_har.ts";
import type { HarOptions } from "../../convert/har/har_options.ts";
import type { AgainNoteCode } from "../../convert/notes/again_codes.ts";
import type { AgainNote, NoteCode } from "../../convert/notes/note.ts";
import { listRequests } from "../../plan/kinds/steps/list_requests.ts";
import { requestName } from "../../plan/kinds/steps/request_name.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { AgainReport } from "../../verify/again/again_report.ts";
import { repairWithSecond } from "../../verify/again/repair_with_second.ts";

/** Notes that suggest correlating values. A second recording makes these decisions instead. */
const OFFERS: ReadonlySet<NoteCode> = new Set<NoteCode>([
  "html-value",
  "header-value",
  "cookie-value",
  "encoded-value",
]);

/**
 * Repairs a converted plan with a second recording of the same session. Returns the conversion with the
 * repaired plan, a note for each finding, and the result in its summary.
 */
export function repairConversion(
  conversion: HarConversion,
  first: Recording,
  second: Recording,
  options: HarOptions,
): HarConversion {
  const { plan, report } = repairWithSecond(conversion.plan, first, second, options);
  const { paired, requests, extracted, client } = report;
  return {
    ...conversion,
    plan,
    openValues: [],
    header: withResult(conversion.header, report),
    notes: [
      ...conversion.notes.filter(({ code }) => !OFFERS.has(code)),
      ...againNotes(report, plan),
    ],
    summary: `${conversion.summary}; compared with the second recording: ${paired} of ` +
      `${plural(requests, "request")} in both, ${plural(extracted.length, "value")} extracted, ` +
      `${client.length} made fresh`,
  };
}

function withResult(
  [first, ...rest]: readonly string[],
  { paired, requests }: AgainReport,
): string[] {
  const lines = rest.filter((line) => !OFFERS.has(/^- ([\w-]+)/.exec(line)?.[1] as NoteCode));
  const count = `${paired} of ${plural(requests, "request")}`;
  return [first, `Repaired with a second recording of the session, which has ${count}.`, ...lines];
}

/** Converts the result of a comparison of two recordings into notes. */
export function againNotes(report: AgainReport, plan: Plan): AgainNote[] {
  const requests = Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  const nameOf = (index: number) => `request ${index + 1} (${requestName(requests[index])})`;
  const note = (code: AgainNoteCode, subject: string, message: string) => ({
    code,
    subject,
    message,
  });
  return [
    ...report.extracted.map(({ variable, source, consumers }) =>
      note(
        "again-extracted",
        variable,
        `differs in the second recording: extracted from the response to ${
          nameOf(source)
        }, used in ` +
          plural(consumers.length, "request"),
      )
    ),
    ...report.client.map(({ index, field, template }) =>
      note(
        "again-client-value",
        field || "value",
        `made by the client: now ${template}, first in ${nameOf(index)}`,
      )
    ),
    ...report.removed.map(({ variable, source }) =>
      note(
        "again-removed",
        variable,
        `no longer extracted from the response to ${
          nameOf(source)
        }: its extractor does not return the value of the second recording`,
      )
    ),
    ...report.notFound.map(({ variable, source }) =>
      note(
        "again-not-found",
        variable,
        `its extractor finds nothing in the second recording's response to ${nameOf(source)}`,
      )
    ),
    ...report.constants.map(({ variable, source }) =>
      note(
        "again-constant",
        variable,
        `constant: the response to ${nameOf(source)} holds the same value in both recordings`,
      )
    ),
    ...report.onlyFirst.map((index) =>
      note("again-unpaired", nameOf(index), "the second recording does not contain this call")
    ),
    ...report.onlySecond.map((call) =>
      note("again-unpaired", call, "only the second recording contains this call")
    ),
    ...report.otherResponses.map(({ index, difference }) =>
      note(
        "again-other-response",
        nameOf(index),
        `the second recording has another kind of response: ${difference}`,
      )
    ),
    ...report.unexplained.map(({ index, field }) =>
      note(
        "again-unexplained",
        field,
        `differs in the second recording, but is sent as recorded in ${nameOf(index)}`,
      )
    ),
  ];
}
