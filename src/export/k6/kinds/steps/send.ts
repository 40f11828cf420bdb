import { optional } from "../../flow/js_value.ts";
import { templateCode, valueCode } from "../../flow/template_code.ts";
import { base64Literal } from "../../js/literal.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `send` steps as JavaScript. */
export const send: StepWriter<"send"> = {
  write(value, scope) {
    const { script } = scope;
    const message = typeof value === "string" ? { text: value } : value;
    const socket = scope.socket("socket" in message ? message.socket : undefined);
    if ("base64" in message && message.base64 !== undefined) {
      const decode = script.import("k6/encoding", "b64decode");
      return `${socket}.send(${decode}(${base64Literal(message.base64)}));`;
    }
    const isJson = "json" in message && message.json !== undefined;
    const content = isJson
      ? valueCode(message.json, scope)
      : templateCode(message.text ?? "", scope);
    const text = isJson ? `JSON.stringify(${content.code})` : content.code;
    const sent = content.fails ? optional({ ...content, code: text }, scope) : text;
    const code = `${socket}.send(${sent});`;
    if (content.needs.length === 0) return code;
    return `if (${script.use("isSet")}(${content.needs.join(", ")})) ${code}`;
  },
};
