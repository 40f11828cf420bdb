import type { Note } from "../../convert/note.ts";
import { plural } from "../../base/plural.ts";
import type { PlanFault, StaleValue, Verification } from "../../verify/verification.ts";

/** Converts the findings of a verification into warnings. */
export function verificationNotes(
  { stale, nothingFound, unsent, neverMade }: Verification,
): Note[] {
  const places = Map.groupBy(stale, ({ producer, value }) => JSON.stringify([producer, value]));
  const never = neverMade.map(({ call }) => call);
  return [
    ...[...places.values()].map(staleNote),
    ...nothingFound.map((fault) => faultNote("nothing-found", fault)),
    ...unsent.map((fault) => faultNote("unsent-request", fault)),
    ...(never.length > 0
      ? [{
        code: "call-not-made",
        subject: never[0],
        message: `verified: the plan omits ${plural(never.length, "recorded call")}`,
      }]
      : []),
  ];
}

function staleNote(places: readonly StaleValue[]): Note {
  const [{ call, place, producer, extractor, write }] = places;
  const more = places.length > 1 ? ` and in ${plural(places.length - 1, "more place")}` : "";
  return {
    code: "stale-value",
    subject: extractor?.name ?? place,
    message: `verified: a value from the response to ${producer} is sent as recorded in ` +
      `${place} of ${call}${more}; add \`extract: [${
        JSON.stringify(extractor)
      }]\` to ${producer} ` +
      `and write \`${write}\` in place of the value`,
  };
}

function faultNote(code: string, { request, message }: PlanFault): Note {
  return { code, subject: request, message: `verified: ${message}` };
}
