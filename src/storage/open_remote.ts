import { AwsClient } from "aws4fetch";
import { Parser } from "htmlparser2";
import type { ByteSource } from "../base/bytes/byte_source.ts";
import { deferBytes } from "../base/bytes/open_bytes.ts";
import { InputError, OutputError, UsageError } from "../base/errors.ts";
import { decodePercent } from "../base/string_escapes.ts";
import {
  describeFetchFault,
  describeStatus,
  Download,
  isTemporary,
  pause,
  ReadAhead,
  type RemoteObject,
  Retries,
} from "./download.ts";

const AHEAD = 3;

/** Lists the object at a URL, or all with an S3 prefix. Throws `InputError` if none exists. */
export async function listRemote(url: string): Promise<RemoteObject[]> {
  if (!/^s3:/i.test(url)) return [webObject(url)];
  const location = parseS3Url(url);
  const s3 = new S3();
  const objects = await s3.list(location);
  const exact = objects.filter(({ key }) => key === location.key);
  const found = exact.length > 0 ? exact : objects;
  if (found.length === 0) {
    throw new InputError(`cannot read ${url}: no key in the bucket starts with this prefix`, {
      source: url,
    });
  }
  return found.map(({ key, size }) => ({ ...s3.object({ ...location, key }), size }));
}

/** Sends no request. While one object is being read, the next ones are downloaded. */
export function openRemote(objects: readonly RemoteObject[]): ByteSource[] {
  const all: ReadAhead[] = objects.map((object, i) =>
    new ReadAhead(new Download(object), () => {
      for (const next of all.slice(i + 1, i + 1 + AHEAD)) next.start();
    })
  );
  return objects.map(({ name, size }, i) =>
    deferBytes(
      { name, identity: name, ...(size !== undefined && { size }) },
      all[i],
      () => all[i].close(),
    )
  );
}

/** Writes text to an object in S3. Throws `OutputError` if the server refuses the request. */
export async function writeRemote(url: string, text: string): Promise<void> {
  await new S3().put(parseS3Url(url), new TextEncoder().encode(text));
}

function webObject(url: string): RemoteObject {
  const target = URL.parse(url);
  if (target === null) {
    const message = `cannot read ${url}: expected a URL such as https://HOST/access.log`;
    throw new InputError(message, { source: url });
  }
  const { origin, pathname, username, password } = target;
  target.username = target.password = "";
  const login = username === ""
    ? undefined
    : [username, password].map((text) => decodePercent(text) ?? text).join(":");
  return {
    // Without the query, which may contain a signature.
    name: origin + pathname,
    get: (headers) =>
      fetch(target, {
        headers: {
          ...headers,
          ...(login !== undefined && {
            authorization: `Basic ${new TextEncoder().encode(login).toBase64()}`,
          }),
        },
      }),
  };
}

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

/** Amazon S3, or a compatible store such as MinIO. Signs requests if credentials are given. */
export class S3 {
  readonly #settings: S3Settings;
  readonly #wait: (ms: number) => Promise<void>;
  readonly #client: AwsClient | undefined;

  /** `wait` pauses between attempts. */
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

  /** Lists keys in byte order, without empty objects for folders. Throws `InputError`. */
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

  /** Retries: listing or writing twice is harmless. Returns the body, or the last fault. */
  async #send(url: string, init: RequestInit): Promise<Outcome> {
    const retries = new Retries(this.#wait);
    for (;;) {
      let fault: string;
      try {
        const response = await this.#fetch(url, init);
        retries.hasResponded = true;
        const { ok, status, headers } = response;
        const text = await response.text();
        if (ok) return { text };
        fault = describeStatus(status, text, headers);
        if (!isTemporary(status)) return { text, fault };
      } catch (error) {
        if (error instanceof Deno.errors.NotCapable) throw error;
        fault = describeFetchFault(error);
      }
      const attempts = await retries.next();
      if (attempts !== undefined) {
        return { text: "", fault: `${fault}; ${attempts} attempts failed` };
      }
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

interface Outcome {
  readonly text: string;
  readonly fault?: string;
}

function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
}

interface Listing {
  readonly objects: readonly ListedObject[];
  /** Token for requesting the next page. Absent for the last page. */
  readonly next?: string;
  readonly isTruncated: boolean;
}

/** Parses the response to `ListObjectsV2`. Treats missing elements as empty. */
function parseListing(xml: string): Listing {
  const objects: { key: string; size: number }[] = [];
  let path: string[] = [];
  let text = "";
  let next: string | undefined;
  let isTruncated = false;
  const parser = new Parser({
    onopentag(name) {
      path = [...path, name];
      text = "";
      if (path.join("/") === "ListBucketResult/Contents") objects.push({ key: "", size: 0 });
    },
    ontext: (part) => void (text += part),
    onclosetag() {
      const place = path.join("/");
      const last = objects.at(-1);
      if (place === "ListBucketResult/NextContinuationToken") next = text;
      else if (place === "ListBucketResult/IsTruncated") isTruncated = text.trim() === "true";
      else if (place === "ListBucketResult/Contents/Key") {
        last!.key = decodePercent(text.replaceAll("+", " ")) ?? text;
      } else if (place === "ListBucketResult/Contents/Size") last!.size = Number(text);
      path = path.slice(0, -1);
      text = "";
    },
  }, { xmlMode: true });
  parser.end(xml);
  return { objects, isTruncated, ...(next !== undefined && { next }) };
}

/** Settings for access to an object store. */
export interface S3Settings {
  readonly region: string;
  /** URL of another server than Amazon S3, to whose path bucket names are appended. */
  readonly endpoint?: string;
  /** Absent for public buckets. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** The AWS tools use the same names. */
const S3_VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL",
] as const;

/** Throws `UsageError` if variables are incomplete, or if the endpoint is not HTTP. */
export function readS3Settings(
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): S3Settings {
  const read = (...names: (typeof S3_VARIABLES)[number][]) =>
    names.map((name) => variable(name)).find((value) => value !== undefined && value !== "");
  const accessKeyId = read("AWS_ACCESS_KEY_ID");
  const secretAccessKey = read("AWS_SECRET_ACCESS_KEY");
  const sessionToken = read("AWS_SESSION_TOKEN");
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new UsageError(
      "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither for a public bucket",
    );
  }
  const endpoint = read("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")?.replace(/\/+$/, "");
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/.test(endpoint)) {
    throw new UsageError("AWS_ENDPOINT_URL must be a URL such as http://127.0.0.1:9000");
  }
  return {
    region: read("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1",
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined && {
      credentials: {
        accessKeyId,
        secretAccessKey: secretAccessKey!,
        ...(sessionToken !== undefined && { sessionToken }),
      },
    }),
  };
}
