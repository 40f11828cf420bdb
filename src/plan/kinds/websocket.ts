import * as z from "zod";
import { isMap } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import type { CheckContext } from "../rules/check_context.ts";
import { checkTemplate } from "../rules/templates.ts";
import { literalText } from "../text/template.ts";
import { checkSocketUrl, requestHeaders } from "../values/http.ts";
import { exactlyOne, type Unchecked, withRule } from "../values/schema_walk.ts";
import { duration, requestTags, shortDuration, templateSchema } from "../values/values.ts";
import { BODIES } from "./bodies.ts";
import { messageCondition } from "./conditions.ts";
import { extractor } from "./extractors.ts";
import { socketName } from "./request.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const subprotocol = withRule(templateSchema.describe("Name of a subprotocol"), {
  notation: "template",
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
    { notation: "template", check: checkSocketUrl },
  ),
  subprotocols: z.array(subprotocol).optional().meta({
    description: "Subprotocols to offer, in order of preference",
    examples: [["graphql-transport-ws"]],
  }),
  headers: requestHeaders.optional(),
  compression: z.boolean().optional().describe(
    "Offer to compress messages (default: `defaults.http.compression`)",
  ),
  heartbeat: z.strictObject({
    receive: z.string().min(1).meta({
      description: "Text message with which the server tests the connection",
      examples: ["2"],
    }),
    send: z.string().meta({ description: "Text message to send then", examples: ["3"] }),
  }).optional().describe(
    "Message of the server to which the WebSocket responds at once, while any step runs; no " +
      "`expect` step reads it",
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
  };
}

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

/** The schema of the `socket` key, which `send`, `expect` and `close` steps share. */
const socketKey = z.string().optional().meta({
  description: "Enclosing `websocket` step (default: the innermost)",
  examples: ["notifications"],
});

function checkSocketStep(context: CheckContext, value: unknown): void {
  const { sockets } = context;
  if (sockets.length === 0) {
    context.report("no-websocket", "no `websocket` step contains this step", {
      hint: "put this step in the `steps` of a `websocket` step",
    });
    return;
  }
  const name = isMap(value) ? value.socket : undefined;
  if (typeof name !== "string" || sockets.includes(name)) return;
  context.report("no-websocket", `no enclosing \`websocket\` step has the name "${name}"`, {
    below: ["socket"],
    hint: didYouMean(name, sockets),
  });
}

const content = exactlyOne(
  z.strictObject({
    socket: socketKey,
    text: templateSchema.optional().meta({ description: "Text message", examples: ["ping"] }),
    json: BODIES.json.schema.meta({
      description: "Value to send as JSON in a text message",
      examples: [{ type: "subscribe", topic: "${topic}" }],
    }),
    base64: BODIES.base64.schema.meta({
      description: "Binary message, as Base64",
      examples: ["cGluZw=="],
    }),
  }),
  "text",
  "json",
  "base64",
);

export const send = {
  schema: withRule(
    z.union([templateSchema, content]).meta({
      examples: ["ping", { json: { type: "subscribe" } }],
    }),
    {
      notation: "template or map",
      check: checkSend,
    },
  ),
  description: "Send a message: text, or a map with one kind of content",
};

function checkSend(context: CheckContext, value: unknown): void {
  if (typeof value === "string") checkTemplate(context, value);
  checkSocketStep(context, value);
}

export const expect = {
  schema: withRule(
    z.strictObject({
      socket: socketKey,
      condition: messageCondition.optional().describe(
        "Condition on the message; messages that do not meet it are skipped (default: any message)",
      ),
      timeout: shortDuration(
        "Time to wait before the step fails (default: `defaults.http.timeout`)",
      ).optional(),
      extract: z.array(extractor).optional().describe("Variables to extract from the message"),
    }),
    { check: checkSocketStep },
  ),
  description: "Wait for a message",
};

export const wait = {
  schema: withRule(duration.meta({}), {
    code: "bad-duration",
    notation: "duration",
    check: checkSocketStep,
  }),
  description: "Keep the WebSocket open for a set duration; fails if it closes earlier",
};

const closeKeys = z.strictObject({
  socket: socketKey,
  code: z.int().min(1000).max(4999).refine(
    (code) => code === 1000 || code >= 3000,
    { error: "expected 1000, or a code from 3000 to 4999" },
  ).optional().describe("Close code: 1000, or a code from 3000 to 4999 (default: 1000)"),
  reason: z.string().max(41).optional().meta({
    description: "Reason, at most 41 characters",
    examples: ["done"],
  }),
});

export const close = {
  schema: withRule(closeKeys, { check: checkSocketStep }),
  description: "Close the WebSocket; otherwise, it is closed after its last step",
};
