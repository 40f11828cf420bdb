import { UsageError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/bytes/byte_source.ts";
import {
  COLLECTOR_KINDS,
  type CollectorKind,
  type LogCollector,
} from "../../traffic/accesslog/collect/collector.ts";
import {
  checkProfile,
  type FilterRecord,
  parseProfile,
  type ProfileContent,
} from "../../traffic/accesslog/profile/parse_profile.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { createCollector } from "../../traffic/accesslog/slices.ts";

/** Command-line option that requires the data of a collector, keyed by the kind of collector. */
const OPTIONS: Readonly<Record<CollectorKind, string>> = {
  timings: "--thresholds",
  ids: "--ids",
  queries: "--query",
  visits: "--journeys",
  statuses: "--html, --checks or --revalidate",
  entry: "--har",
};

/** Merges each input that is a traffic profile into the profile of the preceding inputs. */
export class ProfileMerger {
  /** Collectors whose data is present in every profile read so far. */
  collectors: readonly LogCollector[];
  filters: readonly (FilterRecord & { dropped: number })[] | undefined;
  readonly #isOptional: (collector: LogCollector) => boolean;
  readonly #carries: boolean;
  #isFirst = true;

  /**
   * Creates a merger. `collectors` are the collectors that the options need. `isOptional` returns
   * true if a profile may lack the data of a collector. `filters` are the filters applied to access
   * logs among the inputs; undefined if all inputs are profiles and no filter is given. If
   * `carries` is true, collects everything that all profiles contain.
   */
  constructor(
    collectors: readonly LogCollector[],
    isOptional: (collector: LogCollector) => boolean,
    filters: readonly (FilterRecord & { dropped: number })[] | undefined,
    carries: boolean,
  ) {
    this.collectors = collectors;
    this.#isOptional = isOptional;
    this.filters = filters;
    this.#carries = carries;
  }

  /**
   * Reads the profile in `source` and appends it to `into`. Throws InputError if the profile is not
   * valid. Throws UsageError if its filters differ from those of the other inputs, or if it lacks
   * data that an option needs.
   */
  async append(source: ByteSource, into: TrafficProfile): Promise<void> {
    const { name } = source;
    const content = parseProfile(new TextDecoder().decode(await source.bytes()), name);
    this.#addFilters(content.filters, name);
    if (this.#isFirst && this.#carries) await this.#carry(content);
    this.#isFirst = false;
    this.collectors = this.collectors.filter((collector) => {
      const found = content.collected.get(collector.kind);
      if (found === undefined) {
        if (this.#isOptional(collector)) return false;
        throw missing(name, collector.kind);
      }
      checkProfile(name, () => collector.merge(found.data, into.bytes));
      return true;
    });
    into.append(content.profile);
  }

  #addFilters(found: readonly FilterRecord[], name: string): void {
    this.filters ??= found.map((filter) => ({ ...filter, dropped: 0 }));
    const words = (filters: readonly FilterRecord[]) =>
      filters.map(({ option, value }) => value === "" ? option : `${option} ${value}`).join(" ");
    if (words(found) !== words(this.filters)) {
      throw new UsageError(
        `${name} is a traffic profile with different filters (${
          words(found) || "none"
        } instead of ${
          words(this.filters) || "none"
        }): give the same filters when you create each profile from its log`,
      );
    }
    this.filters.forEach((filter, i) => filter.dropped += found[i].dropped);
  }

  async #carry({ collected }: ProfileContent): Promise<void> {
    const known = new Set<string>(this.collectors.map(({ kind }) => kind));
    const more = COLLECTOR_KINDS.filter((kind) => collected.has(kind) && !known.has(kind));
    const carried = await Promise.all(
      more.map((kind) => createCollector({ kind, settings: collected.get(kind)!.settings })),
    );
    this.collectors = [...this.collectors, ...carried];
  }
}

function missing(name: string, kind: CollectorKind): UsageError {
  return new UsageError(
    `${name} is a traffic profile without the data that ${OPTIONS[kind]} needs: give the option ` +
      "when you create the profile from the log",
  );
}
