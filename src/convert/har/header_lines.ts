import type { Note } from "../note.ts";
import { formatThousands } from "../../base/format_thousands.ts";
import { plural } from "../../base/plural.ts";

/**
 * Summary of each kind of note for the top of the plan, by note code. docs/warnings.md has the details.
 */
const TO_DO: Record<string, string> = {
  "static-assets": "static assets are excluded",
  "left-out-value": "excluded calls share values with kept ones: add them if needed",
  "skipped-entries": "entries of the HAR could not be used",
  "other-origins": "calls to other origins are excluded",
  "third-party":
    "calls to other origins are kept: load only hosts that you are allowed to (--origin HOST,…)",
  "redirects":
    "recorded redirects are not followed: their targets are separate requests or excluded",
  "followed-redirects": "redirects whose target was not recorded are followed",
  "correlation": "values are extracted from responses: see each extract",
  "html-value": "values occur only in pages: add extractors, or use --correlate html",
  "header-value": "values occur only in headers: add extractors, or use --correlate header",
  "cookie-value": "values are copied from cookies: add extractors, or use --correlate cookie",
  "encoded-value": "values change their encoding: add extractors, or use --correlate encoded",
  "overlapping-value": "values may come from a response that had not ended: check them",
  "other-type": "values are strings in the response and numbers in the request: sent as recorded",
  "after-dollar": "values directly follow a $, where ${…} would be an escape: sent as recorded",
  "literal-secret":
    "credentials are in plain text: use --secrets to read them from the environment",
  "secret-moved": "credentials are read from the environment: set the variables under secrets",
  "sanitized":
    "no cookies or Authorization headers in the HAR: add the login to the flow if there was one",
  "no-response-bodies": "response bodies are missing, so their values are not correlated",
  "missing-bodies": "request bodies are missing: add them",
  "unsendable-headers": "headers that clients cannot send are excluded",
};

/** Returns the comment lines at the top of the plan: origin, purpose, and one line per kind of note. */
export function headerLines(requests: number, notes: readonly Note[]): string[] {
  const counts = new Map<string, number>();
  for (const { code } of notes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [
    `Created by rehearse convert from a HAR of ${plural(requests, "request")}.`,
    "It replays the recorded session once, with one user. When the session passes, give the scenario",
    "a realistic load.",
    "",
    "Approximations, and what to do before you put load on a server (run convert again for details):",
    ...[...counts].map(([code, count]) =>
      `- ${code}${count > 1 ? ` (${formatThousands(count)})` : ""}: ${
        TO_DO[code] ?? "calls are excluded"
      }`
    ),
    "- checks, thresholds: define when a run passes",
  ];
}
