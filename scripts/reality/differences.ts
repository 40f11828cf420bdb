import { snapshotLive } from "../../src/comparison/response_snapshot.ts";
import { isSafeMethod } from "../../src/traffic/session/changes_data.ts";
import type { HttpResponse } from "../../src/http/sender.ts";
import { compareResponses } from "../../src/outcome/compare_responses.ts";
import { describeDifference } from "../../src/outcome/difference.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";

/**
 * Describes how a live response differs from the recorded one. Returns an empty list if it does not
 * differ. `unique` is the text that the plan sent in place of `${unique}`. Differences that consist
 * only of this text are ignored.
 */
export function differences(
  { request, response }: Exchange,
  live: HttpResponse,
  unique: string,
): readonly string[] {
  const { headers, text = "" } = snapshotLive(live);
  const compare = (edit: (text: string) => string) =>
    compareResponses(response, {
      status: live.status,
      headers: headers.map(({ name, value }) => ({ name, value: edit(value) })),
      mimeType: "",
      text: edit(text),
    }, isSafeMethod(request.method)).map(describeDifference);
  const found = compare((text) => text);
  if (found.length === 0) return found;
  const added = new RegExp(`(?:[ _+-]|%20)?${unique}`, "g");
  const others = compare((text) => text.replace(added, ""));
  return others.length === 0 ? [] : found;
}
