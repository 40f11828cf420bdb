import { COMBINED } from "./formats/formats.ts";
import { LogScanner } from "./log_scanner.ts";
import { Tally } from "./tally.ts";

/** Whether a line of text that begins so can be read as a request. */
export function looksLikeAccessLog(head: Uint8Array): boolean {
  const tally = new Tally();
  const scanner = new LogScanner(tally, COMBINED);
  scanner.start(0, 0);
  scanner.scan(head);
  scanner.finish();
  return tally.requests > 0;
}
