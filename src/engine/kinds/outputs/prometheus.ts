import { OutputError } from "../../../base/errors.ts";
import { type OutputOf, parseAddress } from "../../outputs/open_output.ts";
import { post, Pusher, pushIntervalMs } from "../../outputs/pusher.ts";
import type { RunOutput } from "../../outputs/run_output.ts";
import { PrometheusScrape } from "./prometheus_scrape.ts";
import { REMOTE_WRITE_HEADERS, remoteWrite } from "./prometheus_remote_write.ts";

/** Opens an output of type `prometheus`: a server for scrapes, pushes by remote write, or both. */
export function openPrometheus(output: OutputOf<"prometheus">): RunOutput[] {
  const { listen, remote_write: url, headers } = output;
  const opened: RunOutput[] = [];
  if (listen !== undefined) opened.push(openScrape(listen));
  if (url !== undefined) {
    opened.push(
      new Pusher({
        name: `prometheus ${url}`,
        intervalMs: pushIntervalMs(output),
        send: (points, time, signal) =>
          post(
            url,
            { ...headers, ...REMOTE_WRITE_HEADERS },
            remoteWrite(points, time),
            signal,
          ),
      }),
    );
  }
  return opened;
}

function openScrape(listen: string): RunOutput {
  const { hostname, port } = parseAddress(listen, "outputs.listen");
  try {
    return new PrometheusScrape(hostname, port);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new OutputError(`cannot listen on ${listen}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
