import { isMap } from "../../base/exact_number.ts";
import { nameDifference } from "./name_difference.ts";
import type { ResponseDifference } from "./response_difference.ts";

/** Maximum depth of the objects that are searched for lists of commands. */
const DEEPEST = 4;
/** Matches the name of a command. */
const COMMAND = /^[A-Za-z_$][\w$.:-]*$/;
/** Names of members that contain the name of a command. */
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
 * import { compareCommands } from "./compare_commands.ts";
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
  return commandLists(recorded, live).flatMap(([names, liveNames]) => {
    const errors = [...liveNames].filter((name) => SHOWS_ERROR.test(name));
    const isMissing = [...names].some((name) => !liveNames.has(name));
    const shown = isMissing ? liveNames : new Set([...names, ...errors]);
    return nameDifference("command", names, shown);
  });
}

/**
 * Returns the names of the recorded and the live commands for each recorded list of commands.
 * Searches objects, but not lists.
 */
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
  if (!isMap(recorded) || !isMap(live) || depth === DEEPEST) return [];
  return Object.entries(recorded).flatMap(([name, value]) =>
    Object.hasOwn(live, name) ? commandLists(value, live[name], depth + 1) : []
  );
}

/**
 * Returns the names of the commands in a list. Each command is a list that starts with its name, or
 * an object with a member such as `command`. Returns undefined if the list contains anything else,
 * or only lists of texts and numbers, which are the rows of a table.
 */
function commandNames(list: readonly unknown[]): Set<string> | undefined {
  const names = list.map(commandName);
  const isTable = list.length > 0 &&
    list.every((item) => Array.isArray(item) && !item.some(hasMembers));
  return isTable || names.includes(undefined) ? undefined : new Set(names as string[]);
}

function commandName(item: unknown): string | undefined {
  const name = Array.isArray(item)
    ? item[0]
    : isMap(item)
    ? item[NAME_MEMBERS.find((member) => Object.hasOwn(item, member)) ?? ""]
    : undefined;
  return typeof name === "string" && COMMAND.test(name) ? name : undefined;
}

function hasMembers(value: unknown): boolean {
  return Array.isArray(value) || isMap(value);
}
