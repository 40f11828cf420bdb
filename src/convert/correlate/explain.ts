import { safeSnippet } from "../../base/safe_text.ts";
import type { Correlation } from "./correlate.ts";
import type { Decision, Obstacle, Usage } from "./decision.ts";
import { type Draft, hasClock } from "./draft.ts";
import { describePlace } from "./place_text.ts";

/** Accounts for every dynamic-looking value, a few lines each: where it came from, where it went, and why. */
export function explain(
  drafts: readonly Draft[],
  correlation: Correlation,
  nameOf: (draft: Draft) => string,
): string[] {
  const clock = hasClock(drafts.map(({ exchange }) => exchange))
    ? []
    : ["all calls start at the same time: each is taken to have ended before the next"];
  return [...clock, ...correlation.decisions.flatMap((decision) => explainOne(decision, nameOf))];
}

function explainOne(decision: Decision, nameOf: (draft: Draft) => string): string[] {
  const { value, candidate, sent, left } = decision;
  const from = candidate === undefined
    ? "  from: no recorded response"
    : `  from: ${describePlace(candidate.locate())} of ${called(candidate.producer, nameOf)}`;
  return [
    `${candidate ? safeSnippet(value, 60) : masked(value)}: ${reason(decision)}`,
    from,
    ...sent.map((sending) => `  sent: ${place(sending)} of ${called(sending.draft, nameOf)}`),
    ...left.map((sending) =>
      `  left: ${LEFT[sending.why]} ${place(sending)} of ${called(sending.draft, nameOf)}`
    ),
  ];
}

/** What no answer holds may be a credential: enough of it to know it again. */
function masked(value: string): string {
  return `${safeSnippet(value.slice(0, 4))}… (${value.length} characters)`;
}

const LEFT: Record<Obstacle, string> = {
  "other type": "a number in",
  "after a dollar": "right after a $ in",
  encoded: "percent-encoded in",
};

const REASONS = {
  "not sent": "not correlated: no later request sends it",
  "client's own": "not correlated: the client sent it before the server first returned it",
  "short number": "not correlated: a number this short counts only where an id is expected",
  "other type": "not correlated: it is text in the response and a number in the request",
  "after a dollar": "not correlated: it stands right after a $, where ${…} would be an escape",
  "no source": "not correlated: older than the recording, or made by the client",
};

function reason({ verdict, variable, candidate }: Decision): string {
  if (verdict === "correlated") return `correlated as \${${variable}} (${by(candidate!.by)})`;
  if (verdict === "overlap") {
    return "not correlated: sent before the response that holds it had ended, by the recording's clock";
  }
  if (verdict === "offered") {
    return `not correlated: needs --correlate ${candidate!.source} (as \${${variable}})`;
  }
  return REASONS[verdict];
}

function by(what: string): string {
  if (what === "name") return "dynamic by its field's name";
  return what === "use" ? "dynamic by its use" : `dynamic by its shape: ${what}`;
}

function place({ slot, start, end }: Usage): string {
  const part = end - start < slot.value.length ? "part of " : "";
  return `${part}${slot.kind}${slot.name && ` ${safeSnippet(slot.name, 40)}`}`;
}

function called(draft: Draft, nameOf: (draft: Draft) => string): string {
  return safeSnippet(nameOf(draft), 80);
}
