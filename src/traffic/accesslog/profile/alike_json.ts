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
 * Parses the sample of malformed lines in a serialized profile. `malformed` is the number of
 * malformed lines. Throws `InvalidProfile` if the sample is not valid.
 */
export function parseAlike(json: unknown, malformed: number): AlikeData {
  const read = checkRecord(json, "`otherFormats`");
  const level = checkInteger(read.level, "`otherFormats.level`", LEVELS - 1);
  const lines = checkList(read.lines, "`otherFormats.lines`").map((line) => {
    const [hash, format, count] = checkList(line, "a line in `otherFormats`");
    const known = checkInteger(hash, "a hash in `otherFormats`", MAX_HASH);
    if (format === undefined) return [known] as const;
    const name = checkText(format, "a format in `otherFormats`");
    if (!/^[\w-]{1,40}$/.test(name)) {
      throw new InvalidProfile("`otherFormats` contains an invalid format name");
    }
    return [known, name, checkInteger(count, "a count in `otherFormats`", malformed)] as const;
  });
  if (lines.length > malformed) {
    throw new InvalidProfile("`otherFormats` contains more lines than `malformed`");
  }
  return { level, lines };
}

const MAX_HASH = 2 ** 52 - 1;
