import { CR, DASH, QUOTE, SPACE } from "../../../../base/ascii";
import { find, findQuoted, lineEnd } from "./search";

const LETTER_S: u8 = 0x73;
/** The characters ` "-"` as a little-endian word. */
const EMPTY_FIELD: u32 = 0x222d2220;

/** Maximum length of a user agent in bytes. Longer ones would not fit in the table of records. */
const MAX_AGENT_BYTES: i32 = 4096;

/** End address of the host at the start of the line. */
export let hostTo: i32 = 0;
/** Address of the client field in the current line. */
export let clientAt: i32 = 0;
/** End address of the client field in the current line. */
export let clientTo: i32 = 0;
/** Address of the user agent, or 0 if the line has none. */
export let agentAt: i32 = 0;
/** End address of the user agent in the current line. */
export let agentTo: i32 = 0;

/** Maximum length of a host in bytes. */
const MAX_HOST_BYTES: i32 = 1024;

/** Finds the host of the line at `line`. Returns false if the line has no valid host. */
export function readHost(line: i32): bool {
  hostTo = find(line, SPACE);
  const length = hostTo - line;
  if (length < 1 || length > MAX_HOST_BYTES || load<u8>(line) === QUOTE) return false;
  return length > 1 || load<u8>(line) !== DASH;
}

/**
 * Finds the client and the user agent of the line at `line` in the common or combined format.
 * `size` is the address of the response size. `isHostFirst` is true if the line starts with
 * a host. Returns an address before the end of the line, or 0 if the line may have escaped text, a
 * list of client addresses or a duration in these fields or after them.
 */
export function readTail(line: i32, size: i32, isHostFirst: bool): i32 {
  agentAt = 0;
  if (load<u8>(line) === QUOTE) return 0;
  clientAt = isHostFirst ? find(line, SPACE) + 1 : line;
  clientTo = find(clientAt, SPACE);
  let at = find(size, SPACE);
  const referer = quotedEnd(at);
  if (referer === 0) return 0;
  const agent = quotedEnd(referer);
  if (agent === 0) return 0;
  if (agent !== referer) {
    agentAt = referer + 2;
    agentTo = agent - 1;
    if (agentTo - agentAt > MAX_AGENT_BYTES) return 0;
  }
  at = load<u32>(agent) === EMPTY_FIELD ? agent + 4 : agent;
  if (at === agent && load<u8>(at) === SPACE && load<u8>(at + 1) === QUOTE) return 0;
  let end = lineEnd(at);
  while (load<u8>(end - 1) === CR) end--;
  return load<u8>(end - 1) === LETTER_S ? 0 : at;
}

/**
 * Returns the address after the quoted string that follows the space at `at`, or `at` if no quote
 * follows. Returns 0 if the string contains a backslash or has no end.
 */
function quotedEnd(at: i32): i32 {
  if (load<u8>(at) !== SPACE || load<u8>(at + 1) !== QUOTE) return at;
  const quote = findQuoted(at + 2, QUOTE);
  return load<u8>(quote) === QUOTE ? quote + 1 : 0;
}
