import type { Exchange } from "../../src/traffic/har/exchange.ts";
import { decodeContent } from "../../src/engine/http/content.ts";
import type { HttpResponse } from "../../src/engine/sender.ts";

/** What an answer is told by: two that agree in all of it are the same to the user. */
export interface Outcome {
  readonly status: number;
  /** Of a redirect: the path that it leads to. */
  readonly leadsTo: string;
  /** Of a page its title, of a JSON object its keys; undefined where no body is known. */
  readonly says: string | undefined;
}

/** What was recorded. */
export function recordedOutcome({ response }: Exchange): Outcome {
  const header = (name: string) =>
    response.headers.find((field) => field.name.toLowerCase() === name)?.value ?? "";
  return {
    status: response.status === 304 ? 200 : response.status,
    leadsTo: locationPath(header("location")),
    says: response.text === undefined ? undefined : gist(response.mimeType, response.text),
  };
}

/** What came when it was played. */
export function playedOutcome(reply: HttpResponse): Outcome {
  const header = (name: string) => reply.headers.find(([known]) => known === name)?.[1] ?? "";
  const text = new TextDecoder().decode(decodeContent(reply));
  return {
    status: reply.status,
    leadsTo: locationPath(header("location")),
    says: gist(header("content-type"), text),
  };
}

/** What is otherwise than recorded, in a few words; undefined when nothing is. */
export function difference(recorded: Outcome, played: Outcome): string | undefined {
  if (played.status !== recorded.status) return `${played.status}, not ${recorded.status}`;
  if (played.leadsTo !== recorded.leadsTo) return `leads to ${played.leadsTo}`;
  if (recorded.says === undefined || played.says === recorded.says) return undefined;
  return `says ${played.says}, not ${recorded.says}`;
}

function locationPath(location: string): string {
  return location === "" ? "" : new URL(location, "http://127.0.0.1").pathname;
}

function gist(mimeType: string, text: string): string {
  if (mimeType.includes("html")) return /<title>([^<]*)/.exec(text)?.[1] ?? "";
  if (!mimeType.includes("json") || text === "") return "";
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? "a list" : Object.keys(value ?? {}).sort().join(",");
}
