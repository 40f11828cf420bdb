import { isMap, isNumber } from "../base/exact_number.ts";
import { withoutValues } from "../comparison/align_text.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { difference, nameDifference, type ResponseDifference } from "./difference.ts";

/** States of a job or a request that succeeded, in lowercase and without separators. */
export const SUCCEEDED: readonly string[] = [
  ...["done", "complete", "completed", "finished", "success", "successful", "succeeded"],
];

/** States of a job or a request that failed, in lowercase and without separators. */
export const FAILED: readonly string[] = [
  ...["failed", "failure", "error", "errored", "aborted", "rejected", "declined", "denied"],
  ...["expired", "timeout", "timedout", "crashed", "killed", "invalid"],
];

/** Converts a state to the form of `SUCCEEDED` and `FAILED`. */
export function stateWord(text: string): string {
  return text.toLowerCase().replace(/[ _-]/g, "");
}

const OF_ERROR = /err|fail|exception|message|reason|detail|denied|invalid|forbidden/i;

/**
 * Compares the top level of two JSON values: kinds, names, booleans and members that state an
 * outcome, such as `status`; of a list only the outcomes of its items. Unless `isRead`, also names
 * such as `user_exists` for `user_added`.
 */
export function compareJson(
  recorded: unknown,
  live: unknown,
  isRead: boolean,
): ResponseDifference[] {
  const [kind, liveKind] = [recorded, live].map(jsonKind);
  if (kind !== liveKind) return [difference("content", `JSON ${kind}`, `JSON ${liveKind}`)];
  if (Array.isArray(recorded) && Array.isArray(live)) {
    const isSame = recorded.length === live.length && !(isRead && live.length > 1);
    return !isSame
      ? []
      : recorded.flatMap((item, i) =>
        isMap(item) && isMap(live[i]) ? compareOutcomes(item, live[i], isRead, `[${i}].`) : []
      );
  }
  if (!isMap(recorded) || !isMap(live)) return [];
  const names = (members: object) => new Set(Object.keys(members).map(withoutValues));
  const isEmpty = Object.keys(recorded).length === 0;
  const isPage = [recorded, live].every((one) => Object.values(one).some(Array.isArray));
  if (isEmpty && !Object.keys(live).some((name) => OF_ERROR.test(name))) return [];
  const isFault = (name: string) =>
    isEmpty ? OF_ERROR.test(name) : namesError(name) && !hasNoContent(live[name]);
  return [
    ...nameDifference("json-key", names(recorded), names(live), isFault),
    ...Object.entries(recorded).flatMap(([name, value]) => {
      const other = live[name];
      if (typeof value !== "boolean" || typeof other !== "boolean" || value === other) return [];
      // A list of other users' objects too has more pages.
      if (isPage && PAGING.test(nameWords(name).join(" "))) return [];
      return [difference("json-value", `${name}: ${value}`, `${name}: ${other}`)];
    }),
    ...compareOutcomes(recorded, live, isRead),
    ...(isRead ? [] : compareOutcomeNames(recorded, live)),
  ];
}

/** Matches the words of a member that says whether a list has pages before or after this one. */
const PAGING =
  /^(?:(?:is|has) )?(?:more|next|prev(?:ious)?|first|last|truncated)(?: (?:page|item|result)s?)?$/;

function namesError(name: string): boolean {
  const words = nameWords(name);
  return /^(?:error|exception|fault|failure)s?$/.test(words.at(-1) ?? "") &&
    !words.some((word) => EARLIER.has(word));
}

export function compareWritten(recorded: unknown, live: unknown): ResponseDifference[] {
  return [
    ...compareJson(recorded, live, false),
    ...compareCommands(recorded, live),
    ...emptied(recorded, live),
  ];
}

const RICH = 2;

/** Finds that a list, or all lists and inner objects, had items, and have none live. */
function emptied(recorded: unknown, live: unknown): ResponseDifference[] {
  const [filled, others] = Array.isArray(recorded) && Array.isArray(live)
    ? [{ "": recorded }, { "": live }]
    : isMap(recorded) && isMap(live)
    ? [recorded, live]
    : [{}, {}];
  const parts = Object.entries<unknown>(filled)
    .map(([name, value]) => ({ name, size: sizeOf(value), live: sizeOf(others[name]) }))
    .filter(({ size }) => size > 0);
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (size < RICH || parts.some((part) => part.live !== 0)) return [];
  return [
    difference("emptied", parts.map(({ name, size }) => `${name} ${size}`).join(", "), "none"),
  ];
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : -1;
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "list";
  if (isMap(value)) return "object";
  return value === null ? "null" : "value";
}

/** Last words of the names of members that may state the outcome of a call. */
const OUTCOME = new Set(["status", "state", "result", "outcome", "success", "message", "msg"]);
const ENVELOPE = new Set(["result", "response", "meta", "header"]);
/** Names of members that may be an envelope in the response to a write, else are the resource. */
const CONTENT = new Set(["data", "body", "payload"]);
const ERROR_CODE = new Set(["errcode", "errno", "error"]);
/** Words in names such as `last_error`, whose error did not occur in the current call. */
const EARLIER = new Set(["last", "latest", "previous", "recent", "first", "max", "total", "count"]);
const SUCCESS = new Set([
  ...SUCCEEDED,
  ...["ok", "okay", "accepted", "approved", "confirmed", "granted", "allowed", "authorized"],
  ...["valid", "passed", "created", "updated", "deleted", "saved", "sent", "submitted"],
  ...["received", "queued", "scheduled", "pending", "processing", "started"],
]);
const FAILURE = new Set([
  ...FAILED,
  ...["fail", "ko", "nok", "refused", "forbidden", "unauthorized", "unauthorised", "accessdenied"],
  ...["notauthorized", "notallowed", "duplicate", "conflict", "badrequest", "notfound"],
]);
const NAMES_SUCCESS = new Set([...SUCCESS, "added", "inserted", "imported", "stored"]);
const NAMES_OTHER = new Set([
  ...FAILURE,
  ...["duplicates", "duplicated", "existing", "exists", "already", "skipped", "ignored"],
]);
const DEEPEST_OUTCOME = 3;
/** Maximum length of a state, in UTF-16 code units. Longer text is shortened in reports. */
const LONGEST_STATE = 60;

/** Finds members such as `status` or `errors` that state success, and failure live. */
function compareOutcomes(
  recorded: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
  isRead: boolean,
  path = "",
): ResponseDifference[] {
  const isOutcome = (name: string) => OUTCOME.has(nameWords(name).at(-1) ?? "");
  const isSuccess = Object.entries(recorded).some(([name, value]) =>
    isOutcome(name) && (value === true || isStateWord(SUCCESS, value))
  );
  return Object.entries(recorded).flatMap(([name, value]) => {
    if (!Object.hasOwn(live, name)) return [];
    const other = live[name];
    if (isMap(value) && isMap(other) && path === "" && isEnvelope(name, isRead)) {
      return compareOutcomes(value, other, isRead, `${name}.`);
    }
    return path !== "" && value === true && other === false && isOutcome(name) ||
        isFailure(name, value, other, isSuccess)
      ? [{
        kind: "json-outcome" as const,
        name: path + name,
        recorded: short(value),
        live: short(other),
      }]
      : [];
  });
}

/** Finds that exactly one member of an inner object has a name that states another outcome. */
function compareOutcomeNames(
  recorded: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
  path: readonly string[] = [],
): ResponseDifference[] {
  const missing = Object.keys(recorded).filter((name) => !Object.hasOwn(live, name));
  const added = Object.keys(live).filter((name) => !Object.hasOwn(recorded, name));
  const [name, other] = [missing[0], added[0]];
  const isRenamed = path.length > 0 && missing.length === 1 && added.length === 1 &&
    haveSameMember(recorded[name], live[other]) && namesOtherOutcome(name, other);
  return [
    ...(isRenamed
      ? [{
        kind: "json-outcome" as const,
        name: path.join("."),
        recorded: `{${JSON.stringify(name)}: …}`,
        live: `{${JSON.stringify(other)}: …}`,
      }]
      : []),
    ...(path.length === DEEPEST_OUTCOME ? [] : Object.entries(recorded).flatMap(([name, value]) => {
      const other = live[name];
      return isMap(value) && isMap(other) ? compareOutcomeNames(value, other, [...path, name]) : [];
    })),
  ];
}

function haveSameMember(recorded: unknown, live: unknown): boolean {
  if (!isMap(recorded) || !isMap(live)) return recorded === true && live === true;
  return Object.keys(recorded).some((name) => Object.hasOwn(live, name));
}

function namesOtherOutcome(recorded: string, live: string): boolean {
  if (/\d/.test(recorded + live)) return false;
  const [words, liveWords] = [recorded, live].map((name) => nameWords(name));
  const own = words.filter((word) => !liveWords.includes(word));
  const liveOwn = liveWords.filter((word) => !words.includes(word));
  if (liveOwn.some((word) => NAMES_OTHER.has(word))) {
    return !own.some((word) => NAMES_OTHER.has(word));
  }
  const isSuccess = (word: string) => NAMES_SUCCESS.has(word);
  return own.length < words.length && own.some(isSuccess) && !liveOwn.some(isSuccess);
}

function isEnvelope(name: string, isRead: boolean): boolean {
  const key = name.toLowerCase();
  return ENVELOPE.has(key) || (!isRead && CONTENT.has(key));
}

function isFailure(name: string, recorded: unknown, live: unknown, isSuccess: boolean): boolean {
  const words = nameWords(name);
  const last = words.at(-1) ?? "";
  if (OUTCOME.has(last) && isStateWord(SUCCESS, recorded)) return isStateWord(FAILURE, live);
  if (isNumber(recorded) && isNumber(live)) {
    const [before, after] = [Number(recorded), Number(live)];
    const isCode = ERROR_CODE.has(words.join("")) || (last === "code" && isSuccess);
    if (before === 0) return isCode && after !== 0;
    const isStatus = last === "status" || words.join(" ") === "status code";
    return isStatus && before >= 200 && before < 300 && after >= 400 && after < 600;
  }
  return namesError(name) && hasNoContent(recorded) && !hasNoContent(live) &&
    typeof live !== "boolean" &&
    !isNumber(live);
}

function isStateWord(words: ReadonlySet<string>, value: unknown): boolean {
  return typeof value === "string" && value.length <= LONGEST_STATE && words.has(stateWord(value));
}

function hasNoContent(value: unknown): boolean {
  if (value === null || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST_STATE ? `${text.slice(0, LONGEST_STATE)}…` : text;
}

const DEEPEST_LIST = 4;
const COMMAND = /^[A-Za-z_$][\w$.:-]*$/;
const NAME_MEMBERS: readonly string[] = ["command", "cmd", "op", "operation"];
/** Matches the names of commands that show an error, but not of those that remove it. */
const SHOWS_ERROR = /^(?!clear|close|hide|no|remove|reset).*(?:error|exception|fault)/i;

/**
 * Compares the lists of commands of frameworks that keep a page's state on the server. The response
 * to a refused write lacks commands, or has ones that show an error. Other new ones may vary.
 */
function compareCommands(recorded: unknown, live: unknown): ResponseDifference[] {
  return commandLists(recorded, live).flatMap(([names, liveNames]) =>
    nameDifference("command", names, liveNames, (name) => SHOWS_ERROR.test(name))
  );
}

function commandLists(
  recorded: unknown,
  live: unknown,
  depth = 0,
): (readonly [ReadonlySet<string>, ReadonlySet<string>])[] {
  if (Array.isArray(recorded) && Array.isArray(live)) {
    const [names, liveNames] = [recorded, live].map(commandNames);
    return names === undefined || liveNames === undefined || names.size === 0
      ? []
      : [[names, liveNames]];
  }
  if (!isMap(recorded) || !isMap(live) || depth === DEEPEST_LIST) return [];
  return Object.entries(recorded).flatMap(([name, value]) =>
    Object.hasOwn(live, name) ? commandLists(value, live[name], depth + 1) : []
  );
}

/**
 * A command is a list that starts with its name, or with the id of its target and names, or an
 * object with a member such as `command`. Undefined if the list contains anything else.
 */
function commandNames(list: readonly unknown[]): Set<string> | undefined {
  const names = list.map(commandName);
  const isTable = list.length > 0 &&
    list.every((item) => Array.isArray(item) && !item.some(hasMembers));
  return isTable || names.includes(undefined) ? undefined : new Set(names as string[]);
}

function commandName(item: unknown): string | undefined {
  const name = Array.isArray(item)
    ? isTarget(item[0]) ? leadingNames(item.slice(1)) : item[0]
    : isMap(item)
    ? item[NAME_MEMBERS.find((member) => Object.hasOwn(item, member)) ?? ""]
    : undefined;
  return typeof name === "string" && COMMAND.test(name) ? name : undefined;
}

function isTarget(item: unknown): boolean {
  return isNumber(item) || (typeof item === "string" && /^\d+$/.test(item));
}

function leadingNames(items: readonly unknown[]): string {
  const end = items.findIndex((item) => typeof item !== "string");
  return items.slice(0, end < 0 ? items.length : end).join(".");
}

function hasMembers(value: unknown): boolean {
  return Array.isArray(value) || isMap(value);
}
