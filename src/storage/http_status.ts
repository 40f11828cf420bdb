import { systemMessage } from "../base/errors.ts";

/** Reports whether a request that failed with this status may succeed later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/**
 * Describes a response that refuses a request to read or write an object. `text` is the body of the
 * response. S3 sends XML with a `Code` element.
 */
export function describeStatus(status: number, text: string, headers: Headers): string {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1];
  const shown = code === undefined ? `status ${status}` : `status ${status}, ${code}`;
  const region = headers.get("x-amz-bucket-region");
  if (region !== null && /^[\w-]{1,40}$/.test(region) && (status === 301 || status === 400)) {
    return `the bucket is in another region (${shown}); set AWS_REGION=${region}`;
  }
  if (status === 404) return `the server has no such object (${shown})`;
  if (status === 412) return `it changed while it was being read (${shown})`;
  if (status === 401 || status === 403) {
    return `the server denies access (${shown}); check the credentials and their permissions`;
  }
  return `the server responded with ${shown}`;
}

/**
 * Describes why `fetch` received no response or an incomplete one. Omits the URL, which may be
 * secret.
 */
export function describeFetchFault(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = systemMessage(cause).replace(
    /^error sending request[^]*?: (?:client error \(\w+\): )?|tcp connect error: /g,
    "",
  );
  if (/dns error/.test(text)) return "DNS cannot resolve the host name";
  return text.replace(/^Connection/, "connection");
}
