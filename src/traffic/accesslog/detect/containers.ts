import { CR, LF } from "../../../base/ascii.ts";

/** A type of file that contains compressed or encoded text. */
export interface Container {
  /** Description, such as `an xz file`. */
  readonly looksLike: string;
  /**
   * Command that converts a file to readable text on standard output, such as `xz -dc`. The caller
   * must append the file name as the last argument.
   */
  readonly filter: string;
}

/** First bytes of each type of file, with its description and its conversion command. */
const CONTAINERS: readonly (readonly [begin: string, looksLike: string, filter: string])[] = [
  ["\xfd7zXZ\0", "an xz file", "xz -dc"],
  ["BZh", "a bzip2 file", "bzip2 -dc"],
  ["PK\x03\x04", "a zip file", "unzip -p"],
  ["7z\xbc\xaf", "a 7-Zip file", "7z x -so"],
  ["\x04\x22\x4d\x18", "an lz4 file", "lz4 -dc"],
  ["\x1f\x8b\x08", "gzip in gzip", "gzip -dc"],
  ["\x28\xb5\x2f\xfd", "zstd data inside another compressed file", "zstd -dc"],
  ["\xff\xfe", "UTF-16 text", "iconv -f UTF-16 -t UTF-8"],
  ["\xfe\xff", "UTF-16 text", "iconv -f UTF-16 -t UTF-8"],
];

/**
 * Returns the type of a file that cannot be read as lines of UTF-8. Returns undefined if the file
 * can be read or its type is unknown. `head` contains the first bytes of the file, after
 * decompression of gzip and zstd.
 */
export function findContainer(head: Uint8Array): Container | undefined {
  const start = String.fromCharCode(...head.subarray(0, 16));
  const found = CONTAINERS.find(([begin]) => start.startsWith(begin));
  if (found !== undefined) return { looksLike: found[1], filter: found[2] };
  // In UTF-16, every second byte of ASCII text is 0.
  const zeros = [...head.subarray(0, 4)].map((byte) => byte === 0 ? "0" : "1").join("");
  const order = zeros === "1010" ? "LE" : zeros === "0101" ? "BE" : undefined;
  if (order !== undefined) {
    return { looksLike: "UTF-16 text", filter: `iconv -f UTF-16${order} -t UTF-8` };
  }
  return hasOnlyCr(head)
    ? { looksLike: "text whose lines end with CR instead of LF", filter: "tr '\\r' '\\n' <" }
    : undefined;
}

/** Returns the name of a HAR in a zip file, of which `end` contains the last bytes. */
export function findHarInZip(end: Uint8Array): string | undefined {
  // The directory at the end of the file contains the length of each name, and the name.
  const [, ...files] = new TextDecoder("latin1").decode(end).split("PK\x01\x02");
  return files.map((file) => file.slice(42, 42 + file.charCodeAt(24)))
    .find((name) => /\.har$/i.test(name));
}

/** Reports whether lines end with CR only, so that the whole text would be read as one line. */
function hasOnlyCr(head: Uint8Array): boolean {
  if (head.includes(LF)) return false;
  const at = head.indexOf(CR);
  return at >= 0 && at < head.length - 1;
}
