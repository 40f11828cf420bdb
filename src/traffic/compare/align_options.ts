import { type DefaultOption, findDefaultOptions } from "../../extract/default_options.ts";
import type { KnownPairs } from "./known_pairs.ts";
import type { ValuePair } from "./value_pair.ts";

/**
 * Compares the options that a browser sends by default for the `<select>` elements of two pages.
 * Returns the values that differ between elements of the same name. Ignores names for which the
 * pages have a different number of default options. Recorded values whose live value is in `known`
 * do not count as different. A difference is not a value that only moved, even if the live page
 * contains the recorded value in another option.
 */
export function alignOptions(recorded: string, live: string, known: KnownPairs): ValuePair[] {
  const byName = (page: string) => Map.groupBy(findDefaultOptions(page) ?? [], ({ name }) => name);
  const options = byName(recorded);
  if (options.size === 0) return [];
  const liveOptions = byName(live);
  return [...options].flatMap(([name, own]) => {
    const others = liveOptions.get(name) ?? [];
    if (own.length !== others.length) return [];
    return own.flatMap((option, i) => pairOf(option, others[i], known));
  });
}

function pairOf(option: DefaultOption, other: DefaultOption, known: KnownPairs): ValuePair[] {
  const { value: recorded, at, name } = option;
  const { value: live, at: liveAt } = other;
  if (recorded === "" || live === "" || (known.liveOf(recorded) ?? recorded) === live) return [];
  return [{ recorded, live, place: { in: "text", at, liveAt }, name, mayMove: false }];
}
