/**
 * Returns `array` if it has at least `count` elements. Otherwise moves its contents to an array of
 * 1.25 × `count` elements, detaches `array` and returns the new array.
 */
export function growArray<T extends Int32Array | Uint32Array | Uint16Array | Float64Array>(
  array: T,
  count: number,
): T {
  if (count <= array.length) return array;
  const buffer = (array.buffer as ArrayBuffer).transfer(
    Math.ceil(count * 1.25) * array.BYTES_PER_ELEMENT,
  );
  return new (array.constructor as new (buffer: ArrayBuffer) => T)(buffer);
}
