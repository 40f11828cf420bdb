import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError, UsageError } from "../../base/errors.ts";
import type { CountedFilter } from "../../traffic/accesslog/filters/filters.ts";
import { COMBINED } from "../../traffic/accesslog/formats/common_formats.ts";
import { readRequests } from "../../traffic/accesslog/lines/read_requests.ts";
import type { RequestUse } from "../../traffic/accesslog/lines/request_scanner.ts";
import { parseProfile } from "../../traffic/accesslog/parse_profile.ts";
import { readAccessLogs } from "../../traffic/accesslog/read_access_logs.ts";
import type { TrafficProfile } from "../../traffic/accesslog/traffic_profile.ts";
import { type InputKind, looksLikeHar } from "../input_kind.ts";
import type { Progress } from "../progress.ts";

/** An input and what it holds. */
export interface Input {
  readonly source: ByteSource;
  readonly kind: InputKind;
}

/** What is asked of the requests of a log beside counting them. */
export interface Reading extends RequestUse {
  readonly filters: readonly CountedFilter[];
}

/**
 * The profile of logs and profiles, one behind the other. Throws InputError when there is not one
 * request in them that counts, and UsageError for a profile where single requests are asked for.
 */
export async function readLog(
  inputs: readonly Input[],
  reading: Reading,
  progress: Progress,
): Promise<TrafficProfile> {
  const head = await inputs[0].source.peek(4096);
  const profile = await profileOf(inputs, reading, progress);
  if (profile.requests > 0) return profile;
  const dropped = reading.filters.filter(({ dropped }) => dropped > 0);
  if (dropped.length === 0) throw nothingRead(profile, inputs[0].source.name, head);
  const told = dropped.map((filter) => `${filter.option} left out ${filter.dropped}`).join(", ");
  throw new InputError(`no request is left to convert: ${told}; ask for fewer to be left out`, {
    source: inputs[0].source.name,
  });
}

async function profileOf(
  inputs: readonly Input[],
  reading: Reading,
  progress: Progress,
): Promise<TrafficProfile> {
  const onProgress = ({ done, total }: { done: number; total?: number }) => progress(done, total);
  if (reading.filters.length + reading.collectors.length > 0) {
    refuseProfiles(inputs);
    const logs = inputs.map(({ source }) => ({ source, format: COMBINED }));
    return await readRequests(logs, reading, onProgress);
  }
  if (inputs.every(({ kind }) => kind === "accesslog")) {
    return await readAccessLogs(inputs.map(({ source }) => source), { onProgress });
  }
  const [first, ...rest] = inputs;
  const profile = await profileOfOne(first, onProgress);
  for (const input of rest) profile.append(await profileOfOne(input, onProgress));
  return profile;
}

function refuseProfiles(inputs: readonly Input[]): void {
  const profile = inputs.find(({ kind }) => kind === "profile");
  if (profile === undefined) return;
  throw new UsageError(
    `cannot look at single requests: ${profile.source.name} is a profile, which holds counts only; ` +
      "give these options where the profile is made from the log",
  );
}

async function profileOfOne(
  { source, kind }: Input,
  onProgress: (progress: { done: number; total?: number }) => void,
): Promise<TrafficProfile> {
  if (kind === "accesslog") return await readAccessLogs([source], { onProgress });
  return parseProfile(new TextDecoder().decode(await source.bytes()), source.name);
}

function nothingRead(profile: TrafficProfile, source: string, head: Uint8Array): InputError {
  if (profile.firstMalformed === undefined) {
    return new InputError("no request to convert: it is empty; expected an access log", { source });
  }
  const { reason, place } = profile.firstMalformed;
  const hint = looksLikeHar(head)
    ? "it looks like a HAR file: add --from har"
    : 'expected lines like 10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /path HTTP/1.1" 200 512, ' +
      "the common or combined format";
  return new InputError(`no line could be read as a request (${reason}); ${hint}`, place);
}
