import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import type { ReviewCall } from "../../report/html/review.ts";

/**
 * What the HAR contains about a call: the number of its entry, its method, its URL and the status
 * of its response.
 */
export type RecordedPart = Pick<ReviewCall, "entry" | "method" | "url" | "status">;

/**
 * Returns a function that describes a recorded call. `entry` is the number of the call in the HAR,
 * from 1. If the number is undefined or unknown, `name` replaces the URL.
 */
export function recordedParts(
  { exchanges }: Recording,
): (entry: number | undefined, name: string) => RecordedPart {
  const byEntry = new Map(exchanges.map((exchange) => [exchange.index + 1, exchange]));
  return (entry, name) => {
    const exchange = entry === undefined ? undefined : byEntry.get(entry);
    return exchange === undefined ? { method: "-", url: name } : describe(exchange);
  };
}

function describe({ index, request, response: { status } }: Exchange): RecordedPart {
  return {
    entry: index + 1,
    method: request.method.toUpperCase(),
    url: request.url,
    ...(status > 0 && { status }),
  };
}
