import { parseExactJson } from "../base/exact_json.ts";
import { isMap, isNumber } from "../base/exact_number.ts";
import { nameDifference, type ResponseDifference } from "./difference.ts";

const DEEPEST_LIST = 4;
const COMMAND = /^[A-Za-z_$][\w$.:-]*$/;
const NAME_MEMBERS: readonly string[] = ["command", "cmd", "op", "operation"];
/** Matches the names of commands that show an error, but not of those that remove it. */
const SHOWS_ERROR = /^(?!clear|close|hide|no|remove|reset).*(?:error|exception|fault)/i;

/**
 * Compares the lists of commands in two values. Frameworks that keep the state of a page on the
 * server respond to an event with such a list, and the browser executes it. A refused write has the
 * same status and members, but other commands. Reports commands that occur only in the recorded
 * list, and commands that show an error and occur only in the live list. Ignores other new commands
 * and the number of commands, which vary with the data.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { compareCommands } from "./command_lists.ts";
 *
 * const recorded = { commands: [["append", { label: "Tea" }], ["set", { value: "" }]] };
 * const live = { commands: [["set", { hint: "exists already" }]] };
 *
 * assertEquals(compareCommands(recorded, live), [
 *   { kind: "command", recorded: "append", live: "" },
 * ]);
 * ```
 */
export function compareCommands(recorded: unknown, live: unknown): ResponseDifference[] {
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
 * Returns the names of the commands in a list. Each command is a list that starts with its name, or
 * with the id of its target and names such as interface and method, or an object with a member such
 * as `command`. Returns undefined if the list contains anything else, or only lists of texts and
 * numbers, which are the rows of a table.
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

const TOKEN =
  /\s*(?:"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'|(-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_$][\p{L}\p{N}_$]*)|([[\]{}:,]))/uy;

/**
 * Reads a list or an object in JavaScript notation, such as `{rs:[['set',{$u:'w1'}]]}`. Some
 * servers send it instead of JSON. Keeps escape sequences in strings, except escaped quotes and
 * backslashes. Returns undefined if the text contains anything else, such as a function or a
 * variable.
 */
export function readLiteral(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const json: string[] = [];
  const source = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source);
    if (found === null) return undefined;
    const [, double, single, number, name, mark] = found;
    const string = (double ?? single)?.replace(/\\(["'\\/])/g, "$1");
    const isKey = /\s*:/y;
    isKey.lastIndex = TOKEN.lastIndex;
    const isEnd = mark === "]" || mark === "}";
    if (isEnd && json.at(-1) === "," && !/^[[{,:]$/.test(json.at(-2) ?? "[")) json.pop();
    json.push(
      string !== undefined
        ? JSON.stringify(string)
        : mark ?? (isKey.test(source)
          ? JSON.stringify(name ?? number)
          : number !== undefined
          ? JSON.stringify(Number(number))
          : name === "undefined"
          ? "null"
          : name),
    );
  }
  try {
    return parseExactJson(json.join(" "));
  } catch {
    return undefined;
  }
}
