import { escapeRegex } from "../../base/string_escapes.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { isSearched } from "../recorded/response_texts.ts";
import type { Proposal } from "./proposal.ts";

/** Proposes extractors for a value in a response header, such as a part of the `Location`. */
export function* headerExtractors(value: string, { response }: Exchange): Generator<Proposal> {
  for (const { name, value: text } of response.headers) {
    const header = name.toLowerCase();
    if (!isSearched(header) || header === "set-cookie" || !text.includes(value)) continue;
    if (text === value) yield { name: header, extractor: { type: "header", header } };
    const at = text.indexOf(value);
    const [, parameter] = /[?&#]([^=&?#]+)=$/.exec(text.slice(0, at)) ?? [];
    if (parameter !== undefined) {
      const expression = `[?&#]${escapeRegex(parameter)}=([^&#]+)`;
      yield { name: parameter, extractor: { type: "header", header, expression } };
    }
    const [before] = /[^/]*\/$|^.*$/s.exec(text.slice(0, at))!;
    const after = text.slice(at + value.length, at + value.length + 1);
    const end = after === "" ? "$" : escapeRegex(after);
    const expression = `${escapeRegex(before)}(${
      after === "/" || after === "" ? "[^/?#]+" : ".+?"
    })${end}`;
    yield { name: header, extractor: { type: "header", header, expression } };
  }
}
