import type { ComparedResponse } from "./compared_response.ts";
import { type PageForm, readForms } from "../extract/forms.ts";
import { MarkupError, parseHtml } from "../extract/parse_html.ts";
import type { ResponseView } from "../extract/response_view.ts";
import { ContentError, contentText, decodeContent } from "../http/content.ts";
import type { HttpResponse } from "../http/sender.ts";
import { isText, parseMediaType } from "../traffic/har/media_type.ts";
import { headerValue, type NameValue, type RecordedResponse } from "../traffic/har/recording.ts";
import { RecordedView } from "../traffic/session/recorded_view.ts";

/** A recorded or live response, for comparisons and extractors. */
export class ResponseSnapshot implements ComparedResponse {
  readonly status: number;
  readonly headers: readonly NameValue[];
  readonly mimeType: string;
  readonly text: string | undefined;
  readonly payload?: string;
  readonly #storedCookie: (name: string) => string | undefined;
  #view: ResponseView | undefined;
  #forms: readonly PageForm[] | undefined;

  constructor(
    response: ComparedResponse,
    storedCookie: (name: string) => string | undefined = () => undefined,
  ) {
    this.status = response.status;
    this.headers = response.headers;
    this.mimeType = response.mimeType;
    this.text = response.text;
    this.payload = response.payload;
    this.#storedCookie = storedCookie;
  }

  get view(): ResponseView {
    return this.#view ??= new RecordedView(this, this.#storedCookie);
  }

  get forms(): readonly PageForm[] {
    return this.#forms ??= this.mimeType.includes("html") ? formsOf(this.view) : [];
  }
}

function formsOf(view: ResponseView): PageForm[] {
  try {
    return readForms(view.html(parseHtml));
  } catch (error) {
    if (error instanceof MarkupError) return [];
    throw error;
  }
}

/** `move` is applied to all strings, for example to replace origins. */
export function snapshotRecorded(
  { status, headers, mimeType, text, payload }: RecordedResponse,
  move: (text: string) => string,
): ResponseSnapshot {
  return new ResponseSnapshot({
    status,
    headers: headers.map(({ name, value }) => ({ name, value: move(value) })),
    mimeType,
    text: text === undefined ? undefined : move(text),
    ...(payload !== undefined && { payload: move(payload) }),
  });
}

/** The snapshot has no text if the body is damaged, or neither text nor empty. */
export function snapshotLive(
  response: HttpResponse,
  storedCookie?: (name: string) => string | undefined,
): ResponseSnapshot {
  const headers = response.headers.map(([name, value]) => ({ name, value }));
  const mimeType = parseMediaType(headerValue(headers, "content-type") ?? "").essence;
  const isReadable = mimeType === "" || isText(mimeType) || response.bodySize === 0;
  const text = isReadable ? decodedBody(response) : undefined;
  return new ResponseSnapshot({ status: response.status, headers, mimeType, text }, storedCookie);
}

/** Creates a snapshot of a live stream of events. Its text is the data of the last event. */
export function snapshotEvent(
  received: ResponseView & { readonly response: HttpResponse },
  storedCookie: (name: string) => string | undefined,
): ResponseSnapshot {
  const { status, headers, mimeType } = snapshotLive(received.response);
  const text = decodedText(() => received.text);
  return new ResponseSnapshot({ status, headers, mimeType, text }, storedCookie);
}

function decodedBody(response: HttpResponse): string | undefined {
  const type = response.headers.find(([name]) => name === "content-type")?.[1];
  return decodedText(() => contentText(decodeContent(response), type));
}

function decodedText(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ContentError) return undefined;
    throw error;
  }
}
