import type { NameValue } from "../../traffic/har/recording.ts";
import { requestBody } from "../../traffic/har/request_body.ts";
import { keptHeaders } from "../../traffic/session/kept_headers.ts";
import { type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: readonly NameValue[];
  readonly body: Uint8Array | undefined;
}

/** Parses a request in the same way as recorded ones. */
export function sentCall({ method, url, headers, body }: Arrived): RecordedCall {
  const contentType = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  const [call] = splitCalls([{
    index: 0,
    page: undefined,
    startedAt: 0,
    endedAt: 0,
    request: {
      method,
      url,
      headers,
      body: body?.length
        ? requestBody({ text: body.toBase64(), encoding: "base64" }, contentType)
        : undefined,
    },
    response: { status: 0, headers: [], mimeType: "", text: undefined, size: 0 },
  }], keptHeaders);
  return call;
}
