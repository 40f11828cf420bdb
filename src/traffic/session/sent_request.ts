import type { NameValue, RecordedRequest } from "../har/recording.ts";
import { parseBody } from "../har/request_body.ts";
import { keptHeaders } from "./kept_calls.ts";
import { type RecordedCall, splitCalls } from "./recorded_call.ts";
import { messageBody } from "../har/socket_messages.ts";

/** A request that a plan sends. */
export interface SentRequest {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  readonly headers: readonly NameValue[];
  readonly body: Uint8Array | undefined;
}

/** Splits a sent request into fields in the same way as recorded calls. */
export function splitSent({ method, url, headers, body }: SentRequest): RecordedCall {
  const contentType = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  if (method === "SEND") {
    return splitRequest({ method, url, headers, body: messageBody(body ?? new Uint8Array()) });
  }
  return splitRequest({
    method,
    url,
    headers,
    body: body?.length ? parseBody(body, contentType ?? "") : undefined,
  });
}

/** Splits one recorded request into replaceable fields. */
export function splitRequest(request: RecordedRequest): RecordedCall {
  return splitCalls([{
    index: 0,
    page: undefined,
    startedAt: 0,
    endedAt: 0,
    ...(request.method === "SEND" && { socketPart: "send" as const }),
    request,
    response: { status: 0, headers: [], mimeType: "", text: undefined, size: 0 },
  }], keptHeaders)[0];
}
