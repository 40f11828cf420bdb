import config from "../../deno.json" with { type: "json" };

/** Version of rehearse, from `deno.json`. */
export const VERSION: string = config.version;

/** URL of the source repository on GitHub, from `deno.json`, without a slash at the end. */
export const REPOSITORY: string = config.repository;

/** Whether this is a release, so that the files of this version exist at their URLs. */
export const IS_RELEASE: boolean = "isRelease" in config;

/** URL of a file of this version in the repository. */
export function releasedFile(path: string): string {
  const { pathname } = new URL(REPOSITORY);
  return `https://raw.githubusercontent.com${pathname}/v${VERSION}/${path}`;
}

/** URL of this version's JSON Schema for plans, which is also the schema's `$id`. */
export const PLAN_SCHEMA_URL: string = releasedFile("docs/plan.schema.json");
