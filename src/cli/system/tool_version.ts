import config from "../../../deno.json" with { type: "json" };

/** Version of the tool, from `deno.json`. */
export const VERSION: string = config.version;
