import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { freePort } from "../../scripts/local_port.ts";
import { InputError, OutputError } from "../../src/base/errors.ts";
import { Download } from "../../src/storage/download.ts";
import {
  listRemote,
  openRemote,
  parseS3Url,
  readS3Settings,
  S3,
  writeRemote,
} from "../../src/storage/open_remote.ts";
import { CREDENTIALS, S3Server } from "../support/s3_server.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const BIG = new Uint8Array(300_000).map((_, i) => i * 7 + (i >> 8));

async function withServer(use: (server: S3Server, s3: S3) => Promise<void>): Promise<void> {
  await using server = new S3Server();
  await use(server, new S3(readS3Settings((name) => server.env[name])));
}

/**
 * Reads an object. Records the pauses between attempts instead of waiting, and returns them with
 * the content.
 */
async function read(s3: S3, key: string, size?: number) {
  const pauses: number[] = [];
  const wait = (ms: number) => (pauses.push(ms), Promise.resolve());
  const object = { ...s3.object({ bucket: "logs", key }), ...(size !== undefined && { size }) };
  const parts = await Array.fromAsync(new Download(object, wait).read());
  return { content: new Uint8Array(parts.flatMap((part) => [...part])), pauses };
}

Deno.test("S3 lists all objects with a prefix across several pages, and omits folders", () =>
  withServer(async (server, s3) => {
    server.pageSize = 2;
    const keys = ["a/", "a/1.log", "a/2 é+&.log", "a/3.log", "a/4.log", "b/1.log"];
    for (const key of keys) server.objects.set(`logs/${key}`, bytes(key.endsWith("/") ? "" : key));
    const found = await s3.list({ bucket: "logs", key: "a/" });
    assertEquals(found.map(({ key }) => key), keys.slice(1, 5));
    assertEquals(found[1].size, bytes(keys[2]).length);
    const { content } = await read(s3, keys[2]);
    assertEquals(new TextDecoder().decode(content), keys[2]);
  }));

Deno.test("a download resumes where the connection was cut", () =>
  withServer(async (server, s3) => {
    server.objects.set("logs/big", BIG);
    server.faults.push({ cutAfter: 100_000 }, { status: 503 }, { cutAfter: 50_000 });
    const { content, pauses } = await read(s3, "big");
    assertEquals(content, BIG);
    assertEquals(pauses.length, 3);
    const starts = server.log.map((line) => Number(/bytes=(\d+)-/.exec(line)?.[1] ?? 0));
    assertEquals(starts[0], 0);
    assert(
      starts[1] > 0 && starts[2] === starts[1] && starts[3] > starts[2],
      server.log.join("\n"),
    );
  }));

Deno.test("a download reports an object that changes while it is being read", () =>
  withServer(async (server, s3) => {
    server.objects.set("logs/big", BIG);
    server.faults.push({ cutAfter: 100_000 });
    const download = new Download(s3.object({ bucket: "logs", key: "big" }), () => {
      server.objects.set("logs/big", BIG.map((byte) => byte ^ 1));
      return Promise.resolve();
    });
    await assertRejects(
      () => Array.fromAsync(download.read()),
      InputError,
      "cannot read s3://logs/big: it changed while it was being read (status 412, PreconditionFailed)",
    );
  }));

Deno.test("a download that cannot be continued reports how much was read", () =>
  withServer(async (server, s3) => {
    server.objects.set("logs/big", BIG);
    for (let i = 0; i < 5; i++) server.faults.push({ status: 503 });
    await assertRejects(
      () => read(s3, "big"),
      Error,
      "the server responded with status 503; 5 attempts failed",
    );
  }));

Deno.test("a download reports an object that is shorter than its listing states", () =>
  withServer(async (server, s3) => {
    server.objects.set("logs/big", BIG);
    await assertRejects(
      () => read(s3, "big", 400_000),
      InputError,
      "it had 400000 bytes, but now has 300000",
    );
  }));

Deno.test("a download of an empty object yields nothing", () =>
  withServer(async (server) => {
    server.objects.set("logs/empty", bytes(""));
    const s3 = new S3(readS3Settings((name) => server.env[name]));
    const [source] = openRemote([s3.object({ bucket: "logs", key: "empty" })]);
    assertEquals((await source.bytes()).length, 0);
  }));

Deno.test("objects are prefetched, and read in order", () =>
  withServer(async (server, s3) => {
    const keys = ["1", "2", "3", "4", "5", "6"];
    for (const key of keys) {
      server.objects.set(
        `logs/${key}`,
        BIG.map((byte) => byte + Number(key)),
      );
    }
    const sources = openRemote(keys.map((key) => s3.object({ bucket: "logs", key })));
    assertEquals(server.log, [], "no request is sent before an object is read");
    assertEquals((await sources[0].peek(10)).length, 10);
    assertEquals(server.log, ["GET /logs/1 bytes=0-65535"]);
    for (const [i, source] of sources.entries()) {
      assertEquals(await source.bytes(), server.objects.get(`logs/${keys[i]}`), keys[i]);
    }
  }));

Deno.test("gzip objects are decompressed, and truncated ones cause an error", () =>
  withServer(async (server, s3) => {
    const stream = new Blob([BIG]).stream().pipeThrough(new CompressionStream("gzip"));
    const zipped = new Uint8Array(await new Response(stream).arrayBuffer());
    server.objects.set("logs/whole.gz", zipped);
    server.objects.set("logs/half.gz", zipped.slice(0, zipped.length >> 1));
    const open = (key: string) => openRemote([s3.object({ bucket: "logs", key })])[0];
    assertEquals(await open("whole.gz").bytes(), BIG);
    await assertRejects(
      () => open("half.gz").bytes(),
      InputError,
      "s3://logs/half.gz: it is truncated",
    );
  }));

/** Creates a client that records the pauses between attempts instead of waiting. */
function impatient(server: S3Server) {
  const pauses: number[] = [];
  const wait = (ms: number) => (pauses.push(ms), Promise.resolve());
  return { s3: new S3(readS3Settings((name) => server.env[name]), wait), pauses };
}

Deno.test("listings and writes are retried if the server is busy", () =>
  withServer(async (server) => {
    server.pageSize = 1;
    for (const key of ["1", "2"]) server.objects.set(`logs/${key}`, bytes(key));
    const { s3, pauses } = impatient(server);
    server.refusals.push(503, 429, 500, 408);
    const found = await s3.list({ bucket: "logs", key: "" });
    assertEquals(found.map(({ key }) => key), ["1", "2"]);
    assertEquals(pauses, [400, 800, 1_600, 3_200]);
    server.refusals.push(502);
    await s3.put({ bucket: "scratch", key: "x" }, bytes("x"));
    assertEquals(server.objects.get("scratch/x"), bytes("x"));
  }));

Deno.test("listings and writes fail after 5 attempts, and immediately if access is denied", () =>
  withServer(async (server) => {
    const { s3, pauses } = impatient(server);
    const at = { bucket: "logs", key: "x" };
    for (
      const [work, type] of [
        [() => s3.list(at), InputError],
        [() => s3.put(at, bytes("")), OutputError],
      ] as const
    ) {
      server.refusals.push(...Array(5).fill(503));
      const before = server.log.length;
      await assertRejects(
        work,
        type as typeof Error,
        "the server responded with status 503, SlowDown; 5 attempts failed",
      );
      assertEquals([server.log.length - before, pauses.length], [5, 4]);
      pauses.length = 0;
      server.refusals.push(403);
      await assertRejects(work, type as typeof Error, "the server denies access");
      assertEquals(pauses, []);
    }
  }));

Deno.test("`put` writes an object, and reports an error if the server refuses the write", () =>
  withServer(async (server, s3) => {
    await s3.put({ bucket: "scratch", key: "a b/1.json" }, bytes("{}"));
    assertEquals(server.objects.get("scratch/a b/1.json"), bytes("{}"));
    const foreign = new S3(
      readS3Settings((name) => name === "AWS_SECRET_ACCESS_KEY" ? "wrong" : server.env[name]),
    );
    await assertRejects(
      () => foreign.put({ bucket: "scratch", key: "x" }, bytes("")),
      OutputError,
      "cannot write s3://scratch/x: the server denies access (status 403, SignatureDoesNotMatch)",
    );
    await assertRejects(
      () => foreign.list({ bucket: "scratch", key: "" }),
      InputError,
      "could not list s3://scratch/: the server denies access",
    );
  }));

Deno.test("requests to a server that cannot be reached fail with an error that states the cause", async () => {
  const endpoint = `http://127.0.0.1:${freePort()}`;
  const s3 = new S3({ region: "us-east-1", endpoint }, () => Promise.resolve());
  const at = { bucket: "logs", key: "a.log" };
  const refused = /(?:^|: )connection refused; 2 attempts failed$/;
  const fails: [() => Promise<unknown>, new (...args: never[]) => Error][] = [
    [() => s3.list(at), InputError],
    [() => s3.put(at, bytes("")), OutputError],
    [() => Array.fromAsync(new Download(s3.object(at), () => Promise.resolve()).read()), Error],
  ];
  for (const [work, type] of fails) {
    const error = await assertRejects(work, type);
    assertMatch(error.message, refused);
  }
});

Deno.test("S3 reports an error if the server does not return the next page of a listing", async () => {
  for (
    const [page, requests] of [
      ["<IsTruncated>true</IsTruncated>", 1],
      ["<NextContinuationToken>1</NextContinuationToken>", 2],
    ] as const
  ) {
    let received = 0;
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
      received++;
      return new Response(`<ListBucketResult>${page}</ListBucketResult>`);
    });
    const s3 = new S3({ region: "eu", endpoint: `http://127.0.0.1:${server.addr.port}` });
    const work = () => s3.list({ bucket: "logs", key: "" });
    await assertRejects(work, InputError, "the server did not return the next page");
    assertEquals(received, requests);
  }
});

Deno.test("messages show an https URL without its query, user name and password", async () => {
  const requests: string[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => {
      requests.push(request.headers.get("authorization") ?? "");
      return request.url.includes("missing")
        ? new Response("", { status: 404 })
        : new Response("log");
    },
  );
  const at = (path: string) => `http://me:p%40ss@127.0.0.1:${server.addr.port}${path}`;
  const open = async (path: string) => openRemote(await listRemote(at(path)))[0];
  assertEquals(await (await open("/access.log?sig=secret")).bytes(), bytes("log"));
  assertEquals(requests[0], `Basic ${btoa("me:p@ss")}`);
  const odd = at("/access.log").replace("p%40ss", "%ZZ");
  await openRemote(await listRemote(odd))[0].bytes();
  assertEquals(requests[1], `Basic ${btoa("me:%ZZ")}`);
  await assertRejects(
    async () => await (await open("/missing?sig=secret")).bytes(),
    InputError,
    `cannot read http://127.0.0.1:${server.addr.port}/missing: the server has no such object`,
  );
  await assertRejects(() => writeRemote("s3://", ""), InputError, "expected s3://BUCKET/KEY");
  await assertRejects(() => listRemote("http://"), InputError, "cannot read http://: expected");
  assertEquals(parseS3Url("S3://logs/a"), { bucket: "logs", key: "a" });
});

Deno.test("readS3Settings reads the same environment variables as the AWS tools", () => {
  const settings = (env: Record<string, string>) => readS3Settings((name) => env[name]);
  assertEquals(settings({}), { region: "us-east-1" });
  assertEquals(
    settings({
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_SESSION_TOKEN: "t",
      AWS_DEFAULT_REGION: "eu-west-1",
      AWS_ENDPOINT_URL: "http://h:9000/",
    }),
    {
      region: "eu-west-1",
      endpoint: "http://h:9000",
      credentials: { ...CREDENTIALS, sessionToken: "t" },
    },
  );
  assertEquals(parseS3Url("s3://b.c/k//x y%20"), { bucket: "b.c", key: "k//x y%20" });
});
