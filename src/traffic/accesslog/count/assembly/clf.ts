import { DASH, OPEN_BRACKET, QUOTE, SPACE } from "../../../../base/ascii";
import { request, setStatusAt } from "./request";
import { find } from "./search";
import { CLF_BYTES } from "./tables";
import { clfTime } from "./time";

/** The characters `] "` as a little-endian word. */
const REQUEST_NEXT: u32 = 0x22205d;

/**
 * Reads any text followed by ` [time] "request" status size`. Returns the address of the size, or 0
 * if the line does not match.
 */
export function readClf(from: i32): i32 {
  const bracket = find(from, OPEN_BRACKET);
  if (load<u8>(bracket) !== OPEN_BRACKET || bracket < from + 2 || load<u8>(bracket - 1) !== SPACE) {
    return 0;
  }
  const time = bracket + 1;
  if ((load<u32>(time, CLF_BYTES) & 0xffffff) !== REQUEST_NEXT || clfTime(time) === 0) return 0;
  const quote = request(time + CLF_BYTES + 3, QUOTE);
  if (quote === 0 || !hasStatus(quote)) return 0;
  setStatusAt(quote + 2);
  return quote + 6;
}

/**
 * Reports whether the closing quote at `at` is followed by a status and the start of a size, as in
 * `" 200 5` or `" 200 -`.
 */
function hasStatus(at: i32): bool {
  const word = load<u64>(at);
  const isShaped = (word & 0xfff0f0f0ffff) === 0x203030302022;
  if (!isShaped || ((word + 0x0606060000) & 0xf0f0f00000) !== 0x3030300000) return false;
  const size = <u8> (word >> 48);
  return <u8> (size - 0x30) <= 9 || size === DASH;
}
