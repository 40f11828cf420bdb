import { CR, DASH, QUOTE, SPACE } from "../../../../base/ascii";
import { find, findQuoted, lineEnd } from "./search";

const LETTER_S: u8 = 0x73;
/** The characters ` "-"` as a little-endian word. */
const EMPTY_FIELD: u32 = 0x222d2220;

/** Longer ones would not fit in the table of records. */
const MAX_AGENT_BYTES: i32 = 4096;

export let hostTo: i32 = 0;
export let clientAt: i32 = 0;
export let clientTo: i32 = 0;
export let agentAt: i32 = 0;
export let agentTo: i32 = 0;

const MAX_HOST_BYTES: i32 = 1024;

/** Returns false if the line has no valid host. */
export function readHost(line: i32): bool {
  hostTo = find(line, SPACE);
  const length = hostTo - line;
  if (length < 1 || length > MAX_HOST_BYTES || load<u8>(line) === QUOTE) return false;
  return length > 1 || load<u8>(line) !== DASH;
}

/**
 * Finds client and agent in the common or combined format. `size` is the address of the response
 * size. Returns an address before the end of the line, or 0 if escapes, a list of addresses or a
 * duration may follow.
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
 * Address after the quoted string at `at` + 1, or `at` if none; 0 if it has a backslash or no end.
 */
function quotedEnd(at: i32): i32 {
  if (load<u8>(at) !== SPACE || load<u8>(at + 1) !== QUOTE) return at;
  const quote = findQuoted(at + 2, QUOTE);
  return load<u8>(quote) === QUOTE ? quote + 1 : 0;
}

// The hashes are those of ../../collect/visits.ts.

const SEED: u32 = 0x243f6a88;
const OTHER_SEED: u32 = 0x85a308d3;
const FACTOR: u32 = 0x9e3779b1;
const OTHER_FACTOR: u32 = 0x85ebca6b;
export const NO_AGENT: u64 = <u64> SEED | <u64> OTHER_SEED << 32;

export let visitor: u32 = 0;
export let otherVisitor: u32 = 0;

export function hashAgent(): u64 {
  const length = agentTo - agentAt;
  if (length === 0 || (length === 1 && load<u8>(agentAt) === DASH)) return NO_AGENT;
  return <u64> stableHash(SEED, agentAt, agentTo) |
    <u64> stableHash(OTHER_SEED, agentAt, agentTo) << 32;
}

/**
 * Whether the visitor is at or above a sampling level. `agent` are the hashes of its user agent.
 */
export function isSampled(agent: u64, level: i32): bool {
  visitor = mixBits(stableHash(SEED, clientAt, clientTo) ^ <u32> agent * FACTOR);
  if (min(15, <i32> clz(mixBits(visitor))) < level) return false;
  const other = <u32> (agent >> 32) * OTHER_FACTOR;
  otherVisitor = mixBits(stableHash(OTHER_SEED, clientAt, clientTo) ^ other);
  return true;
}

function stableHash(seed: u32, from: i32, to: i32): u32 {
  let mixed = seed ^ (to - from);
  let at = from;
  for (; at + 4 <= to; at += 4) {
    mixed = (mixed ^ load<u32>(at)) * FACTOR;
    mixed ^= mixed >> 15;
  }
  for (; at < to; at++) {
    mixed = (mixed ^ load<u8>(at)) * FACTOR;
    mixed ^= mixed >> 15;
  }
  return mixed;
}

function mixBits(hash: u32): u32 {
  let mixed = (hash ^ (hash >> 16)) * 0x85ebca6b;
  mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35;
  return mixed ^ (mixed >> 16);
}
