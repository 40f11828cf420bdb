/** Encodes pairs as `application/x-www-form-urlencoded`, in order and with duplicates. */
export function encodeForm(pairs: readonly (readonly [name: string, value: string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}
