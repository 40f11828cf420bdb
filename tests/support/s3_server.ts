import { createHash, createHmac } from "node:crypto";

/** Credentials that `S3Server` accepts. */
export const CREDENTIALS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "s3/cret+key" };

const REGION = "eu-test-1";

/** A failure of the next response to a GET of an object. */
export type Fault = { readonly cutAfter: number } | { readonly status: number };

/**
 * An object store that implements the part of the S3 protocol that `storage` uses. It checks each
 * signature with its own implementation of Signature Version 4.
 */
export class S3Server implements AsyncDisposable {
  /** Contents by `bucket/key`. */
  readonly objects = new Map<string, Uint8Array<ArrayBuffer>>();
  /** Failures of the next GET requests for objects, in order. */
  readonly faults: Fault[] = [];
  /** Statuses with which the next listings and PUT requests fail, in order. */
  readonly refusals: number[] = [];
  /** Received requests: method, path and range. */
  readonly log: string[] = [];
  /** True if reading requires no signature. */
  isPublic = false;
  /** Maximum number of objects in a page of a listing. */
  pageSize = 1_000;
  readonly #server = Deno.serve(
    {
      port: 0,
      hostname: "127.0.0.1",
      onListen() {},
      onError: () => new Response(null, { status: 500 }),
    },
    (request) => this.#respond(request),
  );

  /** Environment variables that let a client access this server. */
  get env(): Record<string, string> {
    return {
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_REGION: REGION,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${this.#server.addr.port}`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #respond(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const range = request.headers.get("range") ?? "";
    this.log.push(`${request.method} ${url.pathname}${range && ` ${range}`}`);
    const expected = signature(request, url);
    const given = request.headers.get("authorization");
    const isOpen = this.isPublic && request.method === "GET" && given === null;
    if (!isOpen && !given?.endsWith(`Signature=${expected}`)) {
      return xmlError(403, "SignatureDoesNotMatch");
    }
    const isObject = !url.pathname.endsWith("/");
    const refused = request.method === "PUT" || !isObject ? this.refusals.shift() : undefined;
    if (refused !== undefined) return xmlError(refused, "SlowDown");
    const [, bucket, key] = /^\/([^/]+)\/(.*)$/s.exec(decodeURIComponent(url.pathname))!;
    if (request.method === "PUT") {
      this.objects.set(`${bucket}/${key}`, new Uint8Array(await request.arrayBuffer()));
      return new Response(null);
    }
    if (key === "") return this.#list(bucket, url.searchParams);
    return this.#get(`${bucket}/${key}`, request.headers);
  }

  #list(bucket: string, query: URLSearchParams): Response {
    const prefix = `${bucket}/${query.get("prefix")}`;
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const from = Number(query.get("continuation-token") ?? 0);
    const to = from + this.pageSize;
    const contents = keys.slice(from, to).map((name) =>
      `<Contents><Key>${
        encodeURIComponent(name.slice(bucket.length + 1)).replaceAll("%2F", "/")
      }</Key>` +
      `<Size>${this.objects.get(name)!.length}</Size></Contents>`
    );
    const next = to < keys.length ? `<NextContinuationToken>${to}</NextContinuationToken>` : "";
    return new Response(`<ListBucketResult>${contents.join("")}${next}</ListBucketResult>`);
  }

  #get(name: string, headers: Headers): Response {
    const bytes = this.objects.get(name);
    if (bytes === undefined) return xmlError(404, "NoSuchKey");
    const etag = `"${createHash("md5").update(bytes).digest("hex")}"`;
    if ((headers.get("if-match") ?? etag) !== etag) return xmlError(412, "PreconditionFailed");
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.get("range") ?? "") ?? [];
    const start = Number(from ?? 0);
    const end = Math.min(bytes.length, to ? Number(to) + 1 : bytes.length);
    if (from !== undefined && start >= bytes.length) {
      const head = { "content-range": `bytes */${bytes.length}` };
      return new Response("<Error><Code>InvalidRange</Code></Error>", {
        status: 416,
        headers: head,
      });
    }
    const fault = this.faults.shift();
    if (fault !== undefined && "status" in fault) return xmlError(fault.status, "SlowDown");
    const body = bytes.subarray(start, end);
    return new Response(fault === undefined ? body : cut(body, fault.cutAfter), {
      status: from === undefined ? 200 : 206,
      headers: {
        etag,
        "content-length": `${body.length}`,
        ...(from !== undefined && { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` }),
      },
    });
  }
}

/** Creates a body that fails after some bytes. */
function cut(
  bytes: Uint8Array<ArrayBuffer>,
  after: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isFirst = true;
  return new ReadableStream({
    pull(controller) {
      if (isFirst && after > 0) controller.enqueue(bytes.slice(0, after));
      else controller.error(new Error("cut"));
      isFirst = false;
    },
  });
}

function xmlError(status: number, code: string): Response {
  return new Response(`<Error><Code>${code}</Code></Error>`, { status });
}

/** Computes the AWS Signature Version 4 of a request. Returns undefined if it is not signed. */
function signature({ method, headers }: Request, url: URL): string | undefined {
  const given = headers.get("authorization") ?? "";
  const [, date, names] = /Credential=[^/]+\/(\d{8})\/[^,]*, ?SignedHeaders=([^,]*),/.exec(given) ??
    [];
  if (names === undefined) return undefined;
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const path = decodeURIComponent(url.pathname).split("/").map(encode).join("/");
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort().join("&");
  const signed = names.split(";").map((name) => `${name}:${headers.get(name)}\n`).join("");
  const request = [method, path, query, signed, names, headers.get("x-amz-content-sha256")]
    .join("\n");
  const scope = `${date}/${REGION}/s3/aws4_request`;
  const hash = createHash("sha256").update(request).digest("hex");
  const text = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, hash].join("\n");
  const hmac = (key: string | Uint8Array, part: string) =>
    createHmac("sha256", key).update(part).digest();
  const key = [date, REGION, "s3", "aws4_request"].reduce<string | Uint8Array>(
    hmac,
    `AWS4${CREDENTIALS.secretAccessKey}`,
  );
  return createHmac("sha256", key).update(text).digest("hex");
}
