import type { Note } from "../note.ts";
import { formatThousands } from "../../base/format_thousands.ts";
import { plural } from "../../base/plural.ts";

/** What each kind of note leaves to do, in a few words: `docs/warnings.md` says more. */
const TO_DO: Record<string, string> = {
  "static-assets": "static assets are left out",
  "left-out-value": "calls that are left out share values with kept ones: add them if needed",
  "skipped-entries": "entries of the HAR could not be used",
  "other-origins": "calls to other origins are left out, as asked",
  "third-party": "calls to other origins stay: load only what you may (--origin HOST,…)",
  "redirects":
    "recorded redirects are not followed: their targets are calls of their own, or left out",
  "followed-redirects": "redirects whose target was not recorded are followed",
  "correlation": "values are taken from answers: see each extract",
  "html-value": "values stand only in pages: add extractors, or --correlate html",
  "header-value": "values stand only in headers: add extractors, or --correlate header",
  "cookie-value": "values are copied from cookies: add extractors, or --correlate cookie",
  "encoded-value": "values change their encoding: add extractors, or --correlate encoded",
  "overlapping-value": "values may come from an answer that had not ended: check them",
  "other-type": "values are text in the answer and numbers in the request: sent as recorded",
  "after-dollar": "values stand right after a $, where ${…} would be an escape: sent as recorded",
  "literal-secret": "credentials stand as recorded: --secrets moves them out",
  "secret-moved": "credentials are read from the environment: set the variables under secrets",
  "sanitized":
    "no cookies and no Authorization in the HAR: log in within the flow if there was a login",
  "no-response-bodies": "response bodies are missing, so their values are not correlated",
  "missing-bodies": "request bodies are missing: add them",
  "unsendable-headers": "headers that no client can send are left out",
};

/** The comment lines that open the plan: what it is, when to use it, and one line a kind of note. */
export function headerLines(requests: number, notes: readonly Note[]): string[] {
  const counts = new Map<string, number>();
  for (const { code } of notes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [
    `Load-test plan made by rehearse convert from a HAR of ${plural(requests, "request")}.`,
    "It plays the recorded session once, with one user, to prove the journey: when it passes, give",
    "the scenario a real load.",
    "",
    "What was approximated, and what is left to do before load is put on a server (converting again",
    "tells each in full):",
    ...[...counts].map(([code, count]) =>
      `- ${code}${count > 1 ? ` (${formatThousands(count)})` : ""}: ${
        TO_DO[code] ?? "calls are left out"
      }`
    ),
    "- checks, thresholds: what must hold for the run to pass",
  ];
}
