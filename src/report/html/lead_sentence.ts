import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { count, percent, time } from "../../base/format.ts";
import { hasRareEndpoints, RANK_RULE, slowestFirst } from "../slowest_endpoints.ts";
import { failedShare } from "../summary_stats.ts";
import { type Markup, markup } from "../markup.ts";

/**
 * Creates a paragraph that names the endpoint with the most failed requests and the slowest
 * endpoint, with links to their rows in the endpoint table. Returns undefined if the run has fewer
 * than two endpoints or no requests.
 */
export function leadSentence({ endpoints }: Summary): Markup | undefined {
  if (endpoints.length < 2) return undefined;
  const failing = highest(endpoints, ({ failed }) => failed);
  const [slow] = slowestFirst(endpoints, ({ http_req_duration }) => http_req_duration["p(95)"]);
  const rule = hasRareEndpoints(endpoints) ? ` (${RANK_RULE})` : "";
  const parts = [
    failing && markup`
      Most failures: ${link(endpoints, failing)}, ${count(failing.failed)} requests (${
      percent(failedShare(failing))
    } of its requests).
    `,
    slow && markup`
      Slowest: ${link(endpoints, slow)}, p95 ${time(slow.http_req_duration["p(95)"])}${rule}.
    `,
  ].filter((part) => part !== undefined);
  return parts.length === 0
    ? undefined
    : markup`<p class="lead">${parts.map((part) => markup`<span>${part}</span> `)}</p>`;
}

/**
 * Returns the endpoint for which `of` returns the highest number, or undefined if no number is
 * above 0.
 */
function highest(
  endpoints: readonly EndpointStats[],
  of: (endpoint: EndpointStats) => number,
): EndpointStats | undefined {
  const best = endpoints.reduce((best, endpoint) => of(endpoint) > of(best) ? endpoint : best);
  return of(best) > 0 ? best : undefined;
}

function link(endpoints: readonly EndpointStats[], endpoint: EndpointStats): Markup {
  return markup`
    <a href="#endpoint-${endpoints.indexOf(endpoint)}"><code>${endpoint.name}</code></a>
  `;
}
