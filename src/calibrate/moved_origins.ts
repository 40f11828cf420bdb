import { isMap } from "../base/exact_number.ts";
import { literal } from "../plan/text/template.ts";
import type { Plan } from "../plan/schema/plan.ts";

/** Functions that encode an origin, one for each form in which a string can contain it. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => text.replaceAll("/", "\\/"),
];

/**
 * Returns a function that replaces the recorded origin in a string with the target's origin: in
 * URLs, in their percent-encoded and escaped forms, and in a separate `host:port`.
 */
export function originMover(recorded: string, target: string): (text: string) => string {
  if (recorded === target) return (text) => text;
  const [from, to] = [recorded, target].map((origin) => new URL(origin));
  const forms = FORMS.map((form) => [form(from.origin), form(to.origin)] as const);
  // A host without a port could be any word, such as `shop`.
  const isTelling = from.port !== "" || from.hostname.includes(".");
  const host = RegExp.escape(from.host);
  const pattern = new RegExp(
    `${forms.map(([form]) => RegExp.escape(form)).join("|")}${
      isTelling ? `|(?<![\\w.:-])${host}(?![\\w.:-])` : ""
    }`,
    "g",
  );
  const byForm = new Map<string, string>([...forms, [from.host, to.host]]);
  return (text) => text.replace(pattern, (found) => byForm.get(found) ?? found);
}

/** Keys of a plan whose values are not sent. Origins in these values are not replaced. */
const KEPT = new Set(["name", "description", "hosts"]);
/**
 * Keys of a step or a request whose members are all sent, regardless of their names. Origins are
 * therefore replaced even in members with a name in `KEPT`.
 */
const SENT = new Set(["params", "headers", "body", "set"]);
const NONE: ReadonlySet<string> = new Set();

/** Moves all requests of a plan to another origin. Sets the base URL to `target`. */
export function movePlan(plan: Plan, move: (text: string) => string, target: string): Plan {
  const moved = {
    ...plan,
    defaults: moveTexts(plan.defaults ?? {}, move) as Plan["defaults"],
    scenarios: Object.fromEntries(
      Object.entries(plan.scenarios).map(([name, scenario]) => [name, moveTexts(scenario, move)]),
    ) as Plan["scenarios"],
  };
  return {
    ...moved,
    defaults: { ...moved.defaults, http: { ...moved.defaults?.http, base_url: literal(target) } },
  };
}

/**
 * Replaces origins in the strings of `value`, except those nested under a key in `kept`. Keys
 * nested under a key in `SENT` are never kept.
 */
function moveTexts(
  value: unknown,
  move: (text: string) => string,
  kept: ReadonlySet<string> = KEPT,
): unknown {
  if (typeof value === "string") return move(value);
  if (Array.isArray(value)) return value.map((item) => moveTexts(item, move, kept));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      kept.has(key) ? member : moveTexts(member, move, SENT.has(key) ? NONE : kept),
    ]),
  );
}
