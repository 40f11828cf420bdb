import { type ComparedResponse, isRedirect } from "../correlation/compared_response.ts";
import { plural } from "../base/format.ts";
import { headerValue } from "../traffic/har/recording.ts";
import { compareResponses } from "./compare_responses.ts";
import { isEvidence } from "./judge_response.ts";
import { readContents } from "./leaves.ts";

/** Text that a write sent, or a value that its response created: as recorded, and live. */
export interface Trace {
  readonly recorded: string;
  readonly live: string;
}

/** A recorded response after a write, and the live response in its place, if there is one. */
export interface LaterResponse {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse | undefined;
}

/** A write, and the responses that can show whether it did its work. */
export interface ComparedWrite {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse;
  /** What the user sent with the write, and the values that its response created. */
  readonly traces: readonly Trace[];
  /** Recorded responses before the write. Text that they contain shows nothing. */
  readonly earlier: readonly ComparedResponse[];
  readonly later: readonly LaterResponse[];
  /**
   * True if the recording lacks the body of the request, so that the plan sends a rebuilt one. A
   * response without traces then shows nothing.
   */
  readonly isRebuilt?: boolean;
}

/**
 * Whether a write did its work. If so, `by` is the evidence: a trace in its response, a trace in a
 * later response, a response with the recorded structure, or a response that can show nothing.
 */
export type Work =
  | {
    readonly isShown: true;
    readonly by: "response" | "later response" | "structure" | "no content";
  }
  | { readonly isShown: false; readonly reason: string };

/** Minimum length of a trace, in UTF-16 code units. Shorter text occurs by chance. */
const SHORTEST = 4;
/** A live response is much smaller if it has less than this share of the recorded structure. */
const SMALL = 0.5;
/** Minimum number of parts of a recorded structure that is evidence, not only a root. */
const RICH = 4;
/** Maximum number of later responses that are searched for a trace. */
const MOST_LATER = 5;

/**
 * Decides whether a live write did its work, as rule 3 of judging requires: its response or a later
 * one contains a trace of the write where the recording does, or its response has the structure of
 * the recorded one. A much smaller response shows the opposite. A later response that is not as
 * recorded shows nothing.
 */
export function workShown(write: ComparedWrite): Work {
  const { recorded, live, earlier, later, isRebuilt = false } = write;
  const [size, liveSize] = [recorded, live].map(structureSize);
  if (size >= RICH && liveSize < size * SMALL) {
    return {
      isShown: false,
      reason: `the response has ${plural(liveSize, "part")} instead of ${size}`,
    };
  }
  const before = earlier.map(contentOf);
  const traces = write.traces.filter(({ recorded: text }) =>
    text.length >= SHORTEST && !before.some((content) => content.includes(text))
  );
  const own = contentOf(recorded);
  const inOwn = traces.filter((trace) => own.includes(trace.recorded));
  const liveOwn = contentOf(live);
  if (inOwn.some((trace) => liveOwn.includes(trace.live))) return { isShown: true, by: "response" };
  const holders = later.map(({ recorded, live }) => {
    const content = contentOf(recorded);
    const held = traces.filter((trace) => content.includes(trace.recorded));
    const isFailed = held.length > 0 && live !== undefined && !isSameKind(recorded, live);
    return { live, held: isFailed ? [] : held };
  }).filter(({ held }) => held.length > 0);
  for (const { live, held } of holders.slice(0, MOST_LATER)) {
    const content = live === undefined ? "" : contentOf(live);
    if (held.some((trace) => content.includes(trace.live))) {
      return { isShown: true, by: "later response" };
    }
  }
  const isFull = size >= RICH && hasStructure(recorded, live);
  if (isFull && !isRebuilt) return { isShown: true, by: "structure" };
  if (inOwn.length + holders.length > 0) {
    return { isShown: false, reason: "no response shows what it sent, as recorded responses do" };
  }
  if (isRebuilt) return { isShown: false, reason: "the recording lacks its body" };
  return { isShown: true, by: size >= RICH ? "structure" : "no content" };
}

/** Reports whether two responses have the same status and media type, and are not other pages. */
function isSameKind(recorded: ComparedResponse, live: ComparedResponse): boolean {
  const differences = compareResponses(recorded, live, true);
  return isEvidence(differences) &&
    !differences.some(({ kind, live }) => kind === "title" && live === "");
}

/** Returns the text in which traces of a write are searched: the location and the body. */
function contentOf(response: ComparedResponse): string {
  const location = headerValue(response.headers, "location") ?? "";
  const { text = "" } = response;
  const attributes = /^\s*</.test(text) ? attributeText(text) : "";
  const texts = readContents(response).leaves.map(({ text }) => text);
  return [decoded(location), ...texts, attributes].join("\n");
}

const ATTRIBUTE = /\s(?:value|href|action|src|content|data-[\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;

function attributeText(markup: string): string {
  return Array.from(markup.matchAll(ATTRIBUTE), ([, double, single]) => double ?? single)
    .join("\n").replace(/&quot;/g, '"').replace(/&#0?39;/g, "'").replace(/&amp;/g, "&");
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/**
 * Counts the parts of a response: the members and items of JSON, the kinds of elements of a page or
 * document. Returns 0 for a redirect, an empty body and plain text.
 */
function structureSize(response: ComparedResponse): number {
  return isRedirect(response) ? 0 : readContents(response).structure.size;
}

/** Reports whether a live response has every part of the recorded structure. */
function hasStructure(recorded: ComparedResponse, live: ComparedResponse): boolean {
  const { structure } = readContents(live);
  return [...readContents(recorded).structure].every((part) => structure.has(part));
}
