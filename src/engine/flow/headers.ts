import { asText } from "../../base/exact_json.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import { ACCEPT_ENCODING } from "../../http/content.ts";
import { compileTemplate, type Render, render } from "./render.ts";
import type { Scope } from "./scope.ts";
import type { Vu } from "../vu/vu.ts";

/** Headers as a list of name and value pairs. Keeps their order and duplicate names. */
export type Headers = readonly (readonly [name: string, value: string])[];

/**
 * Compiled headers: the list itself if all values are constant, otherwise a function that renders
 * the list for a VU.
 */
export type MakeHeaders = Headers | ((vu: Vu) => Headers);

/**
 * Compiles a request's headers. The request's headers override the plan's, which override the
 * client's defaults.
 */
export function compileHeaders(
  request: Request,
  contentType: string | undefined,
  scope: Scope,
): MakeHeaders {
  const { headers = {}, compression = true } = scope.http;
  const all = new Map<string, [name: string, value: Render]>();
  const add = (name: string, value: Render) => all.set(name.toLowerCase(), [name, value]);
  add("User-Agent", "rehearse");
  if (compression) add("Accept-Encoding", ACCEPT_ENCODING);
  if (contentType !== undefined) add("Content-Type", contentType);
  for (
    const [name, value] of [...Object.entries(headers), ...Object.entries(request.headers ?? {})]
  ) {
    add(name, compileTemplate(asText(value), scope));
  }
  const compiled = [...all.values()];
  if (compiled.every(([, value]) => typeof value === "string")) return compiled as Headers;
  return (vu) => compiled.map(([name, value]) => [name, render(value, vu)] as const);
}
