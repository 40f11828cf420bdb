import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError } from "../../base/errors.ts";
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

/**
 * The profile of logs and profiles, one behind the other. Throws InputError when there is not one
 * request in them.
 */
export async function readLog(
  inputs: readonly Input[],
  progress: Progress,
): Promise<TrafficProfile> {
  const head = await inputs[0].source.peek(4096);
  const profile = await profileOf(inputs, progress);
  if (profile.requests === 0) throw nothingRead(profile, inputs[0].source.name, head);
  return profile;
}

async function profileOf(inputs: readonly Input[], progress: Progress): Promise<TrafficProfile> {
  const onProgress = ({ done, total }: { done: number; total?: number }) => progress(done, total);
  if (inputs.every(({ kind }) => kind === "accesslog")) {
    return await readAccessLogs(inputs.map(({ source }) => source), { onProgress });
  }
  const [first, ...rest] = inputs;
  const profile = await profileOfOne(first, onProgress);
  for (const input of rest) profile.append(await profileOfOne(input, onProgress));
  return profile;
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
