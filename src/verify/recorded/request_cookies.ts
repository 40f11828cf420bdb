import type { RecordedRequest } from "../../traffic/har/recording.ts";

/** Returns the names and values of the cookies that a request sends. */
export function cookiesOf(
  { headers }: Pick<RecordedRequest, "headers">,
): [name: string, value: string][] {
  return headers.filter(({ name }) => name.toLowerCase() === "cookie")
    .flatMap(({ value }) => [...value.matchAll(/([^=;\s]+)=([^;]*)/g)])
    .map(([, name, value]) => [name, value]);
}
