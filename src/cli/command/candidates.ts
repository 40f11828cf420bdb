import { isSwitch, placeholder, withCommonFlags } from "./args.ts";
import type { Flag, ListedCommand } from "./command.ts";

/** A word that may follow on a command line, and its description. */
export type Candidate = readonly [word: string, help: string];

/** What may follow on a command line: the words, and whether a file name may. */
export interface Candidates {
  readonly words: readonly Candidate[];
  readonly files: boolean;
}

/**
 * Returns what may replace the last of `words`, the words after `rehearse` on a command line.
 * `commands` are the commands with their descriptions, and `load` loads one of them.
 */
export async function findCandidates(
  words: readonly string[],
  commands: Readonly<Record<string, { readonly summary: string }>>,
  load: (name: string) => Promise<ListedCommand>,
): Promise<Candidates> {
  const [name] = words;
  const typed = words.at(-1) ?? "";
  const names = Object.entries(commands).map(([name, { summary }]): Candidate => [name, summary]);
  if (words.length < 2) return startingWith(typed, [...names, ["help", "Show help for a command"]]);
  if (name === "help") return startingWith(typed, names);
  if (!Object.hasOwn(commands, name)) return startingWith(typed, []);
  const { flags, takes, first = takes } = await load(name);
  const known = withCommonFlags(flags);
  const [, option = words.at(-2), assigned] = /^(-[^=]+)=(.*)$/s.exec(typed) ?? [];
  const flag = known.find(({ name, short }) => option === `--${name}` || option === `-${short}`);
  if (flag !== undefined && assigned !== undefined) return valuesOf(flag, assigned, `${option}=`);
  if (flag !== undefined && hasSeparateValue(flag)) return valuesOf(flag, typed);
  if (typed.startsWith("-")) {
    return startingWith(typed, known.map(({ name, help }) => [`--${name}`, help]));
  }
  const expected = words.length === 2 ? first : takes;
  if (expected === "files") return { words: [], files: true };
  return startingWith(typed, (expected ?? []).map((word) => [word, ""]));
}

function startingWith(typed: string, words: readonly Candidate[]): Candidates {
  return { words: words.filter(([word]) => word.startsWith(typed)), files: false };
}

function hasSeparateValue(flag: Flag): boolean {
  return placeholder(flag) !== undefined && !flag.optional && !isSwitch(flag);
}

/** Returns the values that start with `typed`, each with the text `before` it. */
function valuesOf({ file, value, choices, suggests, bare }: Flag, typed: string, before = "") {
  const words = choices ?? suggests;
  const list = value?.endsWith(",...") ? typed.slice(0, typed.lastIndexOf(",") + 1) : "";
  const all = (words ?? []).map((word): Candidate => [before + list + word, ""]);
  // Without its value, the option is followed by an argument of the command.
  const mayBeOmitted = bare !== undefined && before === "";
  const files = mayBeOmitted || words === undefined && file !== undefined;
  return { ...startingWith(before + typed, all), files };
}
