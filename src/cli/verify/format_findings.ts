import type { Args } from "../command/command.ts";
import { safeJson } from "../../base/safe_text.ts";

/** Output formats of `verify`. */
export const VERIFY_FORMATS = ["text", "json", "html"] as const;

/** Renders the findings in the format of `--format`. */
export async function formatFindings<Found>(
  found: Found,
  args: Args,
  text: (found: Found) => string,
  loadPage: () => Promise<(found: Found) => Promise<string>>,
): Promise<string> {
  switch (args.text("format")) {
    case "json":
      return safeJson(found) + "\n";
    case "html":
      return await (await loadPage())(found);
    default:
      return text(found);
  }
}
