import type { NamelessExtractor } from "../../extract/extractors.ts";
import { findDefaultOptions } from "../../extract/default_options.ts";
import type { ReadBody } from "../../traffic/compare/compared_response.ts";
import { readBody } from "../../traffic/compare/compared_response.ts";
import type { ValuePair, ValuePlace } from "../../traffic/compare/value_pair.ts";
import { jsonExtractors } from "./json_extractors.ts";
import { boundedOffsets } from "./literal_edit.ts";
import { markupExtractors } from "./markup_extractors.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import { textExtractors, type TextRange } from "./text_extractors.ts";

/** A recorded response and the live response to the same call. */
export interface ResponsePair {
  readonly recorded: ResponseSnapshot;
  readonly live: ResponseSnapshot;
}

type Proposal<In extends ValuePlace["in"]> = (
  pair: ValuePair,
  place: Extract<ValuePlace, { in: In }>,
  responses: ResponsePair,
) => NamelessExtractor[];

const PROPOSALS: { readonly [In in ValuePlace["in"]]: Proposal<In> } = {
  header: proposeHeader,
  cookie: (_, { name }) => [{ type: "cookie", cookie: name }],
  json: proposeJson,
  text: proposeText,
};

/**
 * Proposes extractors that may find both the recorded and the live value of `pair`, best first.
 * Does not test them.
 */
export function proposeExtractors(pair: ValuePair, responses: ResponsePair): NamelessExtractor[] {
  return proposeFor(pair.place.in, pair, responses);
}

function proposeFor<In extends ValuePlace["in"]>(
  kind: In,
  pair: ValuePair,
  responses: ResponsePair,
): NamelessExtractor[] {
  return PROPOSALS[kind](pair, pair.place as Extract<ValuePlace, { in: In }>, responses);
}

function proposeHeader(
  { recorded, live }: ValuePair,
  { name }: Extract<ValuePlace, { in: "header" }>,
  responses: ResponsePair,
): NamelessExtractor[] {
  const range = (response: ResponseSnapshot, value: string) => {
    const texts = response.headers.filter((header) => header.name.toLowerCase() === name)
      .map((header) => header.value);
    const text = texts.find((one) => one.includes(value)) ?? "";
    return { text, at: text.indexOf(value), length: value.length };
  };
  const [from, to] = [range(responses.recorded, recorded), range(responses.live, live)];
  if (from.at < 0 || to.at < 0) return [];
  if (from.length === from.text.length) return [{ type: "header", header: name }];
  return headerPatterns(from, to).map((expression) => ({
    type: "header",
    header: name,
    expression,
  }));
}

/**
 * Proposes regular expressions for a part of a header value. The first ones find it by the
 * parameter name or the path segment before it.
 */
function headerPatterns(
  from: { readonly text: string; readonly at: number },
  to: { readonly text: string; readonly at: number },
): string[] {
  const before = from.text.slice(0, from.at);
  const parameter = /[?&#;]([\w.-]+)=$/.exec(before)?.[1];
  const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const path = /[^/?#&=;]*\/?$/.exec(before)![0];
  const isShared = before !== "" && before === to.text.slice(0, to.at);
  return [
    ...(parameter ? [`[?&#;]${escaped(parameter)}=([^&#;]+)`] : []),
    ...(path !== "" ? [`${escaped(path)}([^/?#&;]+)`] : []),
    ...(isShared ? [`^${escaped(before)}([^/?#&;]+)`, `^${escaped(before)}(.+)$`] : []),
    "/([^/?#;]+)/?(?:[?#;].*)?$",
  ];
}

function proposeJson(
  pair: ValuePair,
  { path, within }: Extract<ValuePlace, { in: "json" }>,
  responses: ResponsePair,
): NamelessExtractor[] {
  const [body, liveBody] = [readBody(responses.recorded), readBody(responses.live)];
  if (body === undefined || liveBody === undefined) return [];
  const inText = () => proposeInText(pair, body, liveBody);
  if (within || body.isGuarded) return inText();
  const paths = jsonExtractors(path, body.json, liveBody.json);
  const isIndexed = paths.length > 1;
  // An index says less about the value than the text around it.
  return isIndexed ? [...paths.slice(0, -2), ...inText(), ...paths.slice(-2)] : paths;
}

/** Maximum number of occurrences of a value for which extractors are proposed. */
const MOST_OCCURRENCES = 3;

function proposeInText(
  { recorded, live }: ValuePair,
  body: ReadBody,
  liveBody: ReadBody,
): NamelessExtractor[] {
  const offsets = boundedOffsets(body.text, recorded).slice(0, MOST_OCCURRENCES);
  const liveOffsets = boundedOffsets(liveBody.text, live).slice(0, MOST_OCCURRENCES);
  return offsets.flatMap((at) =>
    liveOffsets.flatMap((liveAt) =>
      textExtractors(
        { text: body.text, at, length: recorded.length },
        { text: liveBody.text, at: liveAt, length: live.length },
      )
    )
  );
}

function proposeText(
  { recorded, live }: ValuePair,
  { at, liveAt }: Extract<ValuePlace, { in: "text" }>,
  responses: ResponsePair,
): NamelessExtractor[] {
  const [text, liveText] = [responses.recorded, responses.live].map(({ view }) => view.text);
  const range = { text, at, length: lengthAt(text, at, recorded) };
  const liveRange = { text: liveText, at: liveAt, length: lengthAt(liveText, liveAt, live) };
  const isEncoded = range.length !== recorded.length || liveRange.length !== live.length;
  const found = textExtractors(range, liveRange);
  return [
    ...optionExtractors(range),
    ...optionExtractors(liveRange),
    ...markupExtractors(range),
    ...(isEncoded
      ? found.map((extractor) => ({ ...extractor, transform: ["html_decode" as const] }))
      : found),
  ];
}

/** Proposes the extractor of the default option of a `<select>` whose value `range` contains. */
function optionExtractors({ text, at }: TextRange): NamelessExtractor[] {
  const start = text.lastIndexOf("<", at);
  if (!/^<option\b/i.test(text.slice(start, start + 8))) return [];
  const option = findDefaultOptions(text)?.find((one) => one.at === at);
  return option === undefined ? [] : [option.extractor];
}

/**
 * Returns the length, in UTF-16 code units, of the occurrence of `value` at the offset `at` in
 * `text`. The occurrence may contain character references, which make it longer.
 */
function lengthAt(text: string, at: number, value: string): number {
  if (text.startsWith(value, at)) return value.length;
  const quote = text[at - 1];
  const end = quote === '"' || quote === "'" ? text.indexOf(quote, at) : -1;
  return end < 0 ? value.length : end - at;
}
