import type { ByteSource } from "../base/bytes/byte_source.ts";
import { deferBytes } from "../base/bytes/open_bytes.ts";
import { InputError } from "../base/errors.ts";
import { decodePercent } from "../base/string_escapes.ts";
import { Download, ReadAhead, type RemoteObject } from "./download.ts";
import { parseS3Url, S3 } from "./s3.ts";

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
