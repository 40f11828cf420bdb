/**
 * The array itself when it holds `count` elements or more, else one with a quarter more than that and
 * the same beginning; the old one is let go of at once and must not be used any more.
 */
export function growArray<T extends Int32Array | Uint32Array | Float64Array>(
  array: T,
  count: number,
): T {
  if (count <= array.length) return array;
  const buffer = (array.buffer as ArrayBuffer).transfer(
    Math.ceil(count * 1.25) * array.BYTES_PER_ELEMENT,
  );
  return new (array.constructor as new (buffer: ArrayBuffer) => T)(buffer);
}
