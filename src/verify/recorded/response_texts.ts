import type { Exchange } from "../../traffic/har/recording.ts";

/** Matches names of response headers whose values clients do not send back. */
const IRRELEVANT =
  /^(?::.*|date|expires|age|vary|via|server|alt-svc|cache-control|content-(?!location).*|strict-.*|access-control-.*)$/i;

/** Reports whether a response header may contain values that later requests send. */
export function isSearched(header: string): boolean {
  return !IRRELEVANT.test(header);
}

/** Returns the strings of a response that may contain values that later requests send. */
export function responseTexts({ response: { headers, text } }: Exchange): string[] {
  const kept = headers.filter(({ name }) => isSearched(name)).map(({ value }) => value);
  return text === undefined ? kept : [...kept, text];
}
