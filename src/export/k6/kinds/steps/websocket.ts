import { listSteps } from "../../../../plan/kinds/list_requests.ts";
import { socketName } from "../../../../plan/kinds/names.ts";
import { sampleTags } from "../../../../plan/text/tags.ts";
import { optional } from "../../flow/js_value.ts";
import { templateCode } from "../../flow/template_code.ts";
import { blockCode, callCode, listCode, type Member, objectCode } from "../../js/code_layout.ts";
import { stringLiteral } from "../../js/literal.ts";
import { defaultHeaders, headersCode } from "../../requests/headers_code.ts";
import { urlCode } from "../../requests/url_code.ts";
import { duePause } from "./request.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `websocket` steps with asynchronous functions. */
export const websocket: StepWriter<"websocket"> = {
  write(step, scope, writeSteps) {
    const { script } = scope;
    const name = socketName(step);
    script.note("k6-websocket", name, "k6 counts WebSocket sessions in separate metrics");
    const pause = duePause(scope);
    const url = urlCode({ url: step.url }, scope);
    const protocols = (step.subprotocols ?? []).map((one) => templateCode(one, scope));
    const headers = headersCode(
      { url: step.url, headers: step.headers },
      undefined,
      defaultHeaders(scope),
      scope,
    );
    const needs = [url, ...protocols, ...headers.values].flatMap((value) => value.needs);
    const tags = Object.entries(sampleTags(step.tags ?? {})).map((
      [tag, value],
    ): Member => [tag, stringLiteral(String(value))]);
    const members: Member[] = [
      ["headers", headers.code === undefined ? "HEADERS" : withDefaults(headers.code)],
      ["tags", objectCode([...tags, ["name", stringLiteral(name)]])],
    ];
    if (step.compression ?? scope.http.compression ?? true) {
      members.push(["compression", "'deflate'"]);
    }
    if (scope.jar !== undefined) members.push(["jar", scope.jar]);
    const variable = scope.names.take(step.name ?? "socket", "socket");
    const body = scope.withSocket(name, variable, () => writeSteps(step.steps, scope));
    const target = url.fails ? optional(url, scope) : url.code;
    const call = callCode(`await ${script.use("withSocket")}`, [
      `${script.use("socketUrl")}(${target})`,
      listCode(protocols.map(({ code }) => code)),
      objectCode(members),
      blockCode(`async (${variable}) =>`, body),
    ]);
    if (needs.length === 0) return [...pause, `${call};`].join("\n");
    const guard = callCode(script.use("canSend"), [stringLiteral(name), ...new Set(needs)]);
    return [...pause, blockCode(`if (${guard})`, `${call};`)].join("\n");
  },
};

/**
 * Returns the JavaScript code that combines the default headers with the headers in `code`. Headers
 * whose value is null are removed.
 */
function withDefaults(code: string): string {
  return `params('', { headers: ${code} }).headers`;
}

/** Reports whether any of the steps, including nested ones, requires asynchronous code. */
export function isAsynchronous(steps: Parameters<typeof listSteps>[0]): boolean {
  return [...listSteps(steps)].some(({ parallel, websocket }) => parallel ?? websocket);
}
