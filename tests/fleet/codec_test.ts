import { assertEquals } from "@std/assert";
import fc from "fast-check";
import * as z from "zod";
import { MESSAGES } from "../../src/fleet/messages.ts";
import { decodeMessage, encodeMessage, PROTOCOL } from "../../src/fleet/channel.ts";

const text = (value: string) => new TextEncoder().encode(value);

Deno.test("codec: decoding an encoded message returns the same message", () => {
  const message = { kind: "beat" as const, from: "a-1" };
  assertEquals(decodeMessage(encodeMessage(message)), message);
});

Deno.test("codec: rejects messages with an unsupported version, kind, shape or size", () => {
  const faults: readonly (readonly [string, string])[] = [
    ["null", "a message is not a JSON object"],
    ["{", "a message is not a JSON object"],
    ["{}", "a message has a different protocol version"],
    ['{"rehearse":1,"kind":"beat","from":"a"}', "a message has a different protocol version"],
    ['{"rehearse":9,"kind":"beat","from":"a"}', "a message has a different protocol version"],
    ['{"rehearse":5,"kind":"constructor"}', "a message has an unknown kind"],
    ['{"rehearse":5,"kind":"beat"}', "a message of kind beat is invalid"],
    ['{"rehearse":5,"kind":"beat","from":"a b"}', "a message of kind beat is invalid"],
    [
      '{"rehearse":5,"kind":"ack","leader":"a","seq":-1,"done":false}',
      "a message of kind ack is invalid",
    ],
    [
      `{"rehearse":5,"kind":"beat","from":"a"${" ".repeat(9_000)}}`,
      "a message of kind beat is too large",
    ],
  ];
  for (const [given, fault] of faults) {
    const decoded = decodeMessage(text(given));
    assertEquals("fault" in decoded && decoded.fault, fault, given);
  }
});

Deno.test("codec: reports a fault instead of throwing, for any bytes and any JSON", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals("fault" in decodeMessage(bytes), true);
  }));
  const kinds = fc.constantFrom("delta", "welcome", "pulse", "hello", "done", "ready");
  fc.assert(fc.property(kinds, fc.dictionary(fc.string(), fc.jsonValue()), (kind, content) => {
    const decoded = decodeMessage(text(JSON.stringify({ rehearse: PROTOCOL, kind, ...content })));
    assertEquals("fault" in decoded, true);
  }));
});

/** Returns the names of the fields of a schema, with those of its nested objects. */
function fieldNames(schema: z.ZodType): string {
  const nested = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return "";
    const { properties = {}, items, additionalProperties, anyOf = [] } = value as {
      properties?: Record<string, unknown>;
      items?: unknown;
      additionalProperties?: unknown;
      anyOf?: unknown[];
    };
    const fields = Object.entries(properties).map(([name, field]) => name + nested(field));
    const others = [items, additionalProperties, ...anyOf].map(nested).join("");
    return (fields.length > 0 ? `{${fields.join(" ")}}` : "") + others;
  };
  return nested(z.toJSONSchema(schema, { unrepresentable: "any" }));
}

Deno.test("codec: the fields of messages change only with the protocol version", () => {
  const fields = Object.entries(MESSAGES).map(([kind, { schema }]) => [
    kind,
    fieldNames(schema),
  ]);
  // If this fails, increase `PROTOCOL` and update both values.
  assertEquals([PROTOCOL, Object.fromEntries(fields)], [5, {
    ack: "{leader seq done}",
    beat: "{from}",
    chunk: "{leader part chunk data}",
    chunk_request: "{from part chunk}",
    claim: "{from name}",
    delta: "{from seq second elapsed_ms metrics{name kind count passes total value min max " +
      "histogram{buckets sum min max}} checks{name scenario group request passes fails} " +
      "endpoints{scenario group name method count failed unsent omitted_headers bytes_sent " +
      "bytes_received statuses series histogram{buckets sum min max}} errors{kind scenario name " +
      "message count} failures{scenario group name method status kind message count " +
      "sample{request{method url headers body} response{status headers body}}} " +
      "groups{scenario group histogram{buckets sum min max}} scenarios{name executor planned " +
      "started ended iterations interrupted dropped max_vus start_delay_ms unstarted_vus " +
      "scheduled_ms lag{buckets sum min max}} live{name vus atWork iterations interrupted dropped} " +
      "seconds{at vus scheduled started dropped requests failed unsent " +
      "histogram{buckets sum min max}}}",
    done: "{from seq started_at duration_ms ending failure}",
    failed: "{from reason}",
    hello: "{from name version index}",
    ping: "{from sent}",
    pong: "{leader sent now}",
    pulse: "{leader name phase starts_at stop reason}",
    ready: "{from planned_ms ends_ms round_trip_ms at unix_ms}",
    refusal: "{leader reason}",
    welcome: "{leader index of plan_hash seed parts{path size hash} orphan_ms}",
  }]);
});
