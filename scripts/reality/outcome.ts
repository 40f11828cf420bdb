import { decodeContent } from "../../src/http/content.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";

/** Essential parts of a response. Responses with equal outcomes look the same to a user. */
export interface Outcome {
  readonly status: number;
  /** Path of the redirect target; empty if the response is not a redirect. */
  readonly redirectPath: string;
  /** Title of an HTML page, or keys of a JSON object. Undefined if the body is unknown. */
  readonly summary: string | undefined;
}

/** Returns the outcome of a recorded response. */
export function recordedOutcome({ response }: Exchange): Outcome {
  const header = (name: string) =>
    response.headers.find((field) => field.name.toLowerCase() === name)?.value ?? "";
  return {
    status: response.status === 304 ? 200 : response.status,
    redirectPath: locationPath(header("location")),
    summary: response.text === undefined
      ? undefined
      : summarizeBody(response.mimeType, response.text),
  };
}

/** Returns the outcome of a response during the run. */
export function observedOutcome(response: HttpResponse): Outcome {
  const header = (name: string) => response.headers.find(([known]) => known === name)?.[1] ?? "";
  const text = new TextDecoder().decode(decodeContent(response));
  return {
    status: response.status,
    redirectPath: locationPath(header("location")),
    summary: summarizeBody(header("content-type"), text),
  };
}

/** Describes the first difference between two outcomes. Returns undefined if they are equal. */
export function difference(recorded: Outcome, observed: Outcome): string | undefined {
  if (observed.status !== recorded.status) return `${observed.status}, not ${recorded.status}`;
  if (observed.redirectPath !== recorded.redirectPath) return `leads to ${observed.redirectPath}`;
  if (recorded.summary === undefined || observed.summary === recorded.summary) return undefined;
  return `summary ${observed.summary}, not ${recorded.summary}`;
}

function locationPath(location: string): string {
  return location === "" ? "" : new URL(location, "http://127.0.0.1").pathname;
}

function summarizeBody(mimeType: string, text: string): string {
  if (mimeType.includes("html")) return /<title>([^<]*)/.exec(text)?.[1] ?? "";
  if (!mimeType.includes("json") || text === "") return "";
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? "a list" : Object.keys(value ?? {}).sort().join(",");
}
