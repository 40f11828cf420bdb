import * as z from "zod";
import type { CheckContext } from "../../rules/check_context.ts";
import { checkSocketUrl } from "../../rules/small_rules.ts";
import { checkTemplate } from "../../rules/templates.ts";
import { type Unchecked, withRule } from "../../values/rule.ts";
import { requestHeaders, requestTags, shortDuration, templateSchema } from "../../values/values.ts";
import { literalText } from "../../text/template.ts";
import { socketName } from "../names.ts";
import type { StepVariant } from "./step.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const subprotocol = withRule(templateSchema.describe("Name of a subprotocol"), {
  notation: "text with `${…}`",
  check(context, name): void {
    checkTemplate(context, name);
    const text = literalText(name);
    if (text !== undefined && !TOKEN.test(text)) {
      context.report(
        "bad-value",
        "expected a name of letters, digits and symbols such as . - _, without spaces, commas or slashes",
      );
    }
  },
});

const keys = {
  name: z.string().optional().meta({
    description: "Name in metrics and reports (default: `WS url`, before interpolation)",
    examples: ["notifications"],
  }),
  url: withRule(
    templateSchema.meta({
      description: "URL: `ws://…`, `wss://…`, or relative to `defaults.http.base_url`",
      examples: ["wss://shop.example/notifications"],
    }),
    { notation: "text with `${…}`", check: checkSocketUrl },
  ),
  subprotocols: z.array(subprotocol).optional().meta({
    description: "Subprotocols to offer, in order of preference",
    examples: [["graphql-transport-ws"]],
  }),
  headers: requestHeaders.optional(),
  compression: z.boolean().optional().describe(
    "Offer to compress messages (default: `defaults.http.compression`)",
  ),
  timeout: shortDuration(
    "Timeout for opening the WebSocket (default: `defaults.http.timeout`)",
  ).optional(),
  tags: requestTags.optional(),
};
const keysSchema = z.strictObject(keys);

/** Keys of a `websocket` step and their values, except the nested steps. */
export type SocketKeys = z.infer<typeof keysSchema>;

/** Defines the `websocket` step. `steps` returns the schema of a list of steps. */
export function websocket<Steps extends z.ZodType>(steps: () => Steps) {
  const schema = z.strictObject({
    ...keys,
    get steps(): Steps {
      return steps();
    },
  });
  return {
    schema: withRule(schema, { enter, check }),
    description: "Open a WebSocket, run steps that use it, and close it",
    url: (step: SocketKeys) => step.url,
  } satisfies StepVariant;
}

/** Records the tag values of the step's samples, and the WebSocket that nested steps can use. */
function enter(context: CheckContext, { name, url }: Unchecked<SocketKeys>): void {
  const shown = socketName({
    name: typeof name === "string" ? name : undefined,
    url: typeof url === "string" ? url : "",
  });
  context.addTagValue("name", shown);
  context.addTagValue("method", "GET");
  context.addTagValue("group", context.groups.map((group) => `::${group}`).join(""));
  context.sockets.push(shown);
}

function check(context: CheckContext): void {
  context.sockets.pop();
}
