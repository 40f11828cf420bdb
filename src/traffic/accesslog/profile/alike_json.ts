import type { AlikeData } from "./alike_sample.ts";
import {
  checkInteger,
  checkList,
  checkRecord,
  checkText,
  InvalidProfile,
} from "./profile_checks.ts";
import { LEVELS } from "./sample_level.ts";

/**
 * Parses the sample of malformed lines in a serialized profile. `malformed` is the number of malformed
 * lines. Throws `InvalidProfile` if the sample is not valid.
 */
export function parseAlike(json: unknown, malformed: number): AlikeData {
  const read = checkRecord(json, "`alike`");
  const level = checkInteger(read.level, "`alike.level`", LEVELS - 1);
  const lines = checkList(read.lines, "`alike.lines`").map((line) => {
    const [hash, format, count] = checkList(line, "a line in `alike`");
    const known = checkInteger(hash, "a hash in `alike`", MAX_HASH);
    if (format === undefined) return [known] as const;
    const name = checkText(format, "a format in `alike`");
    if (!/^[\w-]{1,40}$/.test(name)) throw new InvalidProfile("`alike` has an invalid name");
    return [known, name, checkInteger(count, "a count in `alike`", malformed)] as const;
  });
  if (lines.length > malformed) throw new InvalidProfile("`alike` has more lines than `malformed`");
  return { level, lines };
}

const MAX_HASH = 2 ** 52 - 1;
