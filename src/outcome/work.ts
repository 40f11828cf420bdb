import { plural } from "../base/format.ts";
import { undoEntities } from "../base/string_escapes.ts";
import { type ComparedResponse, isRedirect } from "../comparison/compared_response.ts";
import { headerValue } from "../traffic/har/recording.ts";
import { percentDecodedText } from "../traffic/session/call_url.ts";
import { compareResponses } from "./compare_responses.ts";
import { canTeach } from "./judge_response.ts";
import { type Leaf, readContents } from "./leaves.ts";

/** Text that a write sent, or a value that its response created: as recorded, and live. */
export interface WorkTrace {
  readonly recorded: string;
  readonly live: string;
}

/** A recorded response after a write, and the live response in its place, if there is one. */
export interface LaterResponse {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse | undefined;
  /** True if its request needs the session that the write, a login, opened (default: false). */
  readonly isInSession?: boolean;
}

/** A write, and the responses that can show whether it did its work. */
export interface ComparedWrite {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse;
  /** What the user sent with the write, and the values that its response created. */
  readonly traces: readonly WorkTrace[];
  /** Recorded responses before the write. Text that they contain shows nothing. */
  readonly earlier: readonly ComparedResponse[];
  readonly later: readonly LaterResponse[];
  /** True if the plan sends a rebuilt body: a response without traces then shows nothing. */
  readonly isRebuilt?: boolean;
}

/** Whether a write did its work. `by` is the evidence: where a trace is, or what else shows it. */
export type Work =
  | {
    readonly isShown: true;
    readonly by: "response" | "later response" | "session" | "structure" | "no content";
  }
  | { readonly isShown: false; readonly reason: string };

/** Minimum length of a trace, in UTF-16 code units. Shorter text occurs by chance. */
const SHORTEST_TRACE = 4;
/** A live response is much smaller if it has less than this share of the recorded structure. */
const SMALL = 0.5;
/** Minimum number of parts of a recorded structure that is evidence, not only a root. */
const RICH = 4;
const MOST_LATER = 5;

/**
 * Decides whether a live write did its work: a response contains a trace of it where the recording
 * does, its response has the recorded structure, or a later call needs the session of a login. A
 * much smaller response shows the opposite; a later one that is not as recorded, nothing.
 */
export function workShown(write: ComparedWrite): Work {
  const { recorded, live, later, isRebuilt = false } = write;
  const lost = lostParts(recorded, live) ?? lostCount(recorded, live);
  if (lost !== undefined) return { isShown: false, reason: lost };
  const traces = newTraces(write);
  const inOwn = tracesIn(recorded, traces);
  if (shows(live, inOwn)) return { isShown: true, by: "response" };
  const holders = later.map((response) => ({ ...response, held: heldIn(response, traces) }))
    .filter(({ held }) => held.length > 0);
  if (holders.slice(0, MOST_LATER).some(({ live, held }) => shows(live, held))) {
    return { isShown: true, by: "later response" };
  }
  const isOpen = later.some(({ recorded, live, isInSession }) =>
    isInSession && live !== undefined && isComparable(recorded, live)
  );
  if (isOpen) return { isShown: true, by: "session" };
  const isRich = structureSize(recorded) >= RICH;
  if (isRich && hasStructure(recorded, live) && !isRebuilt) {
    return { isShown: true, by: "structure" };
  }
  if (inOwn.length + holders.length > 0) {
    return { isShown: false, reason: "no response shows what it sent, as recorded responses do" };
  }
  if (isRebuilt) return { isShown: false, reason: "the recording lacks its body" };
  return { isShown: true, by: isRich ? "structure" : "no content" };
}

function lostParts(recorded: ComparedResponse, live: ComparedResponse): string | undefined {
  const [size, liveSize] = [recorded, live].map(structureSize);
  return size >= RICH && liveSize < size * SMALL
    ? `the response has ${plural(liveSize, "part")} instead of ${size}`
    : undefined;
}

/** Returns the traces that no recorded response before the write contains. */
function newTraces({ traces, earlier }: ComparedWrite): WorkTrace[] {
  const before = earlier.map(contentOf);
  return traces.filter(({ recorded: text }) =>
    text.length >= SHORTEST_TRACE && !before.some((content) => content.includes(text))
  );
}

function tracesIn(recorded: ComparedResponse, traces: readonly WorkTrace[]): WorkTrace[] {
  const content = contentOf(recorded);
  return traces.filter((trace) => content.includes(trace.recorded));
}

/** Returns the traces that a later response should show: none if it is not as recorded. */
function heldIn({ recorded, live }: LaterResponse, traces: readonly WorkTrace[]): WorkTrace[] {
  const held = tracesIn(recorded, traces);
  const isFailed = held.length > 0 && live !== undefined && !isComparable(recorded, live);
  return isFailed ? [] : held;
}

function shows(live: ComparedResponse | undefined, traces: readonly WorkTrace[]): boolean {
  const content = live === undefined ? "" : contentOf(live);
  return traces.some((trace) => content.includes(trace.live));
}

function isComparable(recorded: ComparedResponse, live: ComparedResponse): boolean {
  const differences = compareResponses(recorded, live, true);
  return canTeach(differences) &&
    !differences.some(({ kind, live }) => kind === "title" && live === "");
}

// Each write is compared with all responses before and after it.
const searchedTexts = new WeakMap<ComparedResponse, string>();

function contentOf(response: ComparedResponse): string {
  return searchedTexts.getOrInsertComputed(response, readContent);
}

function readContent(response: ComparedResponse): string {
  const location = headerValue(response.headers, "location") ?? "";
  const { text = "" } = response;
  const attributes = /^\s*</.test(text) ? attributeText(text) : "";
  const texts = readContents(response).leaves.map(({ text }) => text);
  return [percentDecodedText(location, false), ...texts, attributes].join("\n");
}

const ATTRIBUTE = /\s(?:value|href|action|src|content|data-[\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;

function attributeText(markup: string): string {
  return Array.from(markup.matchAll(ATTRIBUTE), ([, double, single]) => double ?? single)
    .map((text) => undoEntities(text).value).join("\n");
}

const CHANGED =
  "(?:process|delet|remov|updat|creat|affect|import|insert|modifi|match|chang|sav|add|upload)ed";
/** Matches counts such as `rowsAffected`, but not `unchanged`, `last_changed` or `updated_by`. */
const COUNT_PATH = new RegExp(
  `^[^[]*\\.(?:(?:num|total|rows?|count|n)_?)?${CHANGED}(?:_?count|_?[a-z]*[^us]s)?$`,
  "i",
);
const COUNT_TEXT = new RegExp(
  `^${CHANGED} \\d+ [\\w-]+\\.?$|^\\d+ [\\w-]+ (?:(?:was|were|have been) )?${CHANGED}\\.?$`,
  "i",
);

/** Describes a count of changed objects that is zero live, such as `{"deleted": 0}`. */
function lostCount(recorded: ComparedResponse, live: ComparedResponse): string | undefined {
  const zeros = new Map(
    readContents(live).leaves.filter(({ text }) => /(?<!\d)0(?!\d)/.test(text))
      .map(({ place, text }) => [place, text]),
  );
  const isCount = ({ text, path }: Leaf) =>
    COUNT_TEXT.test(text) || /^\d+$/.test(text) && COUNT_PATH.test(path);
  const found = readContents(recorded).leaves.find((leaf) =>
    isCount(leaf) && /[1-9]/.test(leaf.text) && zeros.has(leaf.place) &&
    singularText(zeros.get(leaf.place)!) === singularText(leaf.text.replace(/\d+/, "0"))
  );
  return found && `\`${found.place}\` is ${zeros.get(found.place)} instead of ${found.text}`;
}

function singularText(text: string): string {
  return text.replace(/s\b/g, "");
}

function structureSize(response: ComparedResponse): number {
  return isRedirect(response) ? 0 : readContents(response).structure.size;
}

function hasStructure(recorded: ComparedResponse, live: ComparedResponse): boolean {
  const { structure } = readContents(live);
  return [...readContents(recorded).structure].every((part) => structure.has(part));
}
