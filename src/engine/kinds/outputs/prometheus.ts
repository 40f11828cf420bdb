import { OutputError } from "../../../base/errors.ts";
import {
  type ExportIdentity,
  type OutputOf,
  parseAddress,
  type RunOutput,
} from "../../outputs/open_output.ts";
import { bucketPoints, type Point } from "../../outputs/points.ts";
import { type MetricValues, post, Pusher, pushIntervalMs } from "../../outputs/pusher.ts";
import { PrometheusScrape } from "./prometheus_scrape.ts";
import { REMOTE_WRITE_HEADERS, remoteWrite } from "./prometheus_remote_write.ts";

/**
 * Opens an output of type `prometheus`. It serves metrics to scrapers, pushes them by remote write,
 * or does both.
 */
export function openPrometheus(
  output: OutputOf<"prometheus">,
  _resolve: unknown,
  identity: ExportIdentity,
): RunOutput[] {
  const { listen, remote_write: url, headers } = output;
  const opened: RunOutput[] = [];
  if (listen !== undefined) opened.push(openScrape(listen, identity));
  if (url !== undefined) {
    opened.push(
      new Pusher({
        name: `prometheus ${url}`,
        intervalMs: pushIntervalMs(output),
        send: (values, time, signal) =>
          post(
            url,
            { ...headers, ...REMOTE_WRITE_HEADERS },
            remoteWrite(withBuckets(values), time, pushedLabels(identity)),
            signal,
          ),
      }),
    );
  }
  return opened;
}

/**
 * Returns the labels of pushed metrics. The labels include `instance` if it is known. Scraped
 * metrics do not need this label, because Prometheus adds it to them.
 */
function pushedLabels({ labels, instance }: ExportIdentity): ExportIdentity["labels"] {
  return instance === undefined ? labels : [...labels, ["instance", instance]];
}

function withBuckets({ points, histograms }: MetricValues): Point[] {
  return [...points, ...histograms.flatMap(bucketPoints)];
}

function openScrape(listen: string, { labels }: ExportIdentity): RunOutput {
  const { hostname, port } = parseAddress(listen, "outputs.listen");
  try {
    return new PrometheusScrape(hostname, port, labels);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new OutputError(`cannot listen on ${listen}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
