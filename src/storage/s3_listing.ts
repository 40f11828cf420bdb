import { Parser } from "htmlparser2";
import { decodePercent } from "../base/string_escapes.ts";

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  /** Size in bytes. */
  readonly size: number;
}

/** One page of a bucket's objects. */
export interface Listing {
  readonly objects: readonly ListedObject[];
  /** Token for requesting the next page. Absent for the last page. */
  readonly next?: string;
  /** True if the server reports that there are more pages. */
  readonly isTruncated: boolean;
}

/**
 * Parses the XML response to `ListObjectsV2` with `encoding-type=url`. Treats missing elements as
 * empty.
 */
export function parseListing(xml: string): Listing {
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
