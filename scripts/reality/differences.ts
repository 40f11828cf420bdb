import { contentText, decodeContent } from "../../src/http/content.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { compareResponses } from "../../src/traffic/compare/compare_responses.ts";
import { describeDifference } from "../../src/traffic/compare/response_difference.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";

/** Describes how a live response differs from the recorded one. Empty if it is as recorded. */
export function differences({ response }: Exchange, live: HttpResponse): readonly string[] {
  const headers = live.headers.map(([name, value]) => ({ name, value }));
  const contentType = headers.find(({ name }) => name === "content-type")?.value;
  return compareResponses(response, {
    status: live.status,
    headers,
    mimeType: "",
    text: contentText(decodeContent(live), contentType),
  }).map(describeDifference);
}
