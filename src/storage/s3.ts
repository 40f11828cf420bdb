import { AwsClient } from "aws4fetch";
import { InputError, OutputError } from "../base/errors.ts";
import type { RemoteObject } from "./download.ts";
import { describeFetchFault, describeStatus, isTemporary } from "./http_status.ts";
import { MAX_FAILURES, MAX_UNANSWERED, pause, pauseMs } from "./retry.ts";
import { type ListedObject, parseListing } from "./s3_listing.ts";
import { readS3Settings, type S3Settings } from "./s3_settings.ts";

/** A bucket, and the key of an object or a prefix of keys. */
export interface S3Location {
  readonly bucket: string;
  readonly key: string;
}

/** Parses `s3://bucket/key`. The key may be empty. Throws `InputError` if the bucket is invalid. */
export function parseS3Url(url: string): S3Location {
  const [, bucket, key = ""] = /^s3:\/\/([^/]*)(?:\/(.*))?$/is.exec(url)!;
  if (!/^[a-z0-9][a-z0-9.-]{1,62}$/i.test(bucket)) {
    throw new InputError(`cannot read ${url}: expected s3://BUCKET/KEY`, { source: url });
  }
  return { bucket, key };
}

/**
 * A client for Amazon S3 and compatible object stores, such as MinIO, R2 and Ceph. It signs
 * requests if credentials are given.
 */
export class S3 {
  readonly #settings: S3Settings;
  readonly #wait: (ms: number) => Promise<void>;
  readonly #client: AwsClient | undefined;

  /** Creates a client. `wait` pauses between attempts. */
  constructor(settings: S3Settings = readS3Settings(), wait = pause) {
    this.#settings = settings;
    this.#wait = wait;
    const { credentials, region } = settings;
    // `Download` and `#send` retry.
    this.#client = credentials &&
      new AwsClient({ ...credentials, service: "s3", region, retries: 0 });
  }

  /** Returns an object, without checking whether it exists. */
  object(location: S3Location): RemoteObject {
    const url = this.#url(location);
    return {
      name: `s3://${location.bucket}/${location.key}`,
      get: async (headers) => await this.#fetch(url, { headers }),
    };
  }

  /**
   * Returns the objects in `bucket` whose keys start with `key`, in the byte order of their keys.
   * Omits empty objects that represent folders. Throws `InputError` if the server refuses to list
   * them.
   */
  async list({ bucket, key }: S3Location): Promise<ListedObject[]> {
    const objects: ListedObject[] = [];
    const tokens = new Set<string>();
    for (let token: string | undefined = ""; token !== undefined;) {
      const url = new URL(this.#url({ bucket, key: "" }));
      url.searchParams.set("list-type", "2");
      url.searchParams.set("encoding-type", "url");
      url.searchParams.set("prefix", key);
      if (token !== "") url.searchParams.set("continuation-token", token);
      const { text, fault } = await this.#send(url.href, {});
      const source = `s3://${bucket}/${key}`;
      if (fault !== undefined) {
        throw new InputError(`could not list ${source}: ${fault}`, { source });
      }
      const page = parseListing(text);
      if (page.isTruncated && page.next === undefined || tokens.has(page.next ?? "")) {
        throw new InputError(
          `could not list ${source}: the server did not return the next page; it must support ` +
            "ListObjectsV2",
          { source },
        );
      }
      if (page.next !== undefined) tokens.add(page.next);
      objects.push(...page.objects.filter(({ key, size }) => !key.endsWith("/") || size > 0));
      token = page.next;
    }
    return objects;
  }

  /** Writes an object. Throws `OutputError` if the server refuses the request. */
  async put(location: S3Location, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const name = `s3://${location.bucket}/${location.key}`;
    const { fault } = await this.#send(this.#url(location), { method: "PUT", body });
    if (fault !== undefined) throw new OutputError(`cannot write ${name}: ${fault}`);
  }

  /**
   * Sends a request, and retries it after a failure that may be temporary. Retrying is safe,
   * because listing or writing an object twice is harmless. Returns the body of the response, or
   * the reason why the last attempt failed.
   */
  async #send(url: string, init: RequestInit): Promise<Outcome> {
    for (let failures = 1, isAnswered = false;; failures++) {
      const { isTemporary, ...outcome } = await this.#attempt(url, init);
      if (!isTemporary) return outcome;
      isAnswered ||= outcome.isAnswered;
      const most = isAnswered ? MAX_FAILURES : MAX_UNANSWERED;
      if (failures >= most) {
        return { ...outcome, fault: `${outcome.fault}; ${failures} attempts failed` };
      }
      await this.#wait(pauseMs(failures));
    }
  }

  async #attempt(url: string, init: RequestInit): Promise<Outcome & { isTemporary: boolean }> {
    let isAnswered = false;
    try {
      const response = await this.#fetch(url, init);
      isAnswered = true;
      const { ok, status, headers } = response;
      const text = await response.text();
      if (ok) return { text, isAnswered, isTemporary: false };
      const fault = describeStatus(status, text, headers);
      return { text, fault, isAnswered, isTemporary: isTemporary(status) };
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      return { text: "", fault: describeFetchFault(error), isAnswered, isTemporary: true };
    }
  }

  #url({ bucket, key }: S3Location): string {
    const { endpoint, region } = this.#settings;
    const path = key.split("/").map(encodeSegment).join("/");
    if (endpoint !== undefined) return `${endpoint}/${bucket}/${path}`;
    // TLS certificates of virtual hosts do not match bucket names with dots.
    return bucket.includes(".")
      ? `https://s3.${region}.amazonaws.com/${bucket}/${path}`
      : `https://${bucket}.s3.${region}.amazonaws.com/${path}`;
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const request = { ...init, redirect: "manual" } as const;
    return await (this.#client?.fetch(url, request) ?? fetch(url, request));
  }
}

/** Body of a response, or the reason for its absence. */
interface Outcome {
  readonly text: string;
  readonly fault?: string;
  /** True if the server has sent a response. */
  readonly isAnswered: boolean;
}

/** Percent-encodes a segment of a key as S3 signatures require. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
