import { assertEquals } from "@std/assert";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { converted } from "../convert/har/wire_requests.ts";
import { type Respond, sameRequests } from "./same_requests.ts";

const HAR = new URL("../../testdata/har/", import.meta.url);

for (const { name } of Deno.readDirSync(new URL("golden/labelled/", HAR))) {
  const plan = (loadPlan(Deno.readTextFileSync(new URL(`golden/labelled/${name}`, HAR))))
    .plan!;
  Deno.test(`the k6 script exported from the plan golden/labelled/${name} sends the same requests as the plan`, async () => {
    const har = Deno.readTextFileSync(new URL(`labelled/${name.replace(/yaml$/, "har")}`, HAR));
    const requests = await sameRequests(plan, () => replay(JSON.parse(har)));
    assertEquals(requests.length > 0, true);
    await sameRequests(plan, () => () => ({ status: 200, body: "" }));
  });
}

interface Recording {
  readonly log: {
    readonly entries: readonly {
      readonly request: { readonly method: string; readonly url: string };
      readonly response: {
        readonly status: number;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly content: { readonly text?: string };
      };
    }[];
  };
}

/**
 * Creates a server that returns the recorded responses to each method and path in order, and then
 * repeats the last one.
 */
function replay({ log: { entries } }: Recording): Respond {
  const key = (method: string, url: string) => `${method} ${new URL(url).pathname}`;
  const lists = Map.groupBy(entries, ({ request }) => key(request.method, request.url));
  const used = new Map<string, number>();
  return (method, url) => {
    const list = lists.get(key(method, url)) ?? [];
    const at = used.get(key(method, url)) ?? 0;
    used.set(key(method, url), at + 1);
    const response = list[Math.min(at, list.length - 1)]?.response;
    return {
      status: response?.status ?? 404,
      body: response?.content.text ?? "",
      // Attributes of cookies are left to the proof with k6.
      headers: (response?.headers ?? []).map((
        { name, value },
      ) => [
        name,
        name.toLowerCase() === "set-cookie" ? value.replace(/;.*$/s, "; Path=/") : value,
      ]),
    };
  };
}

for (const name of ["formraw.har", "k6_487.har", "query.har", "upload.har"]) {
  Deno.test(`the k6 script exported from the plan for bytes/${name} sends the recorded bytes`, async () => {
    const { plan } = await converted(Deno.readTextFileSync(new URL(`bytes/${name}`, HAR)));
    const requests = await sameRequests(plan, () => () => ({ status: 200, body: "{}" }));
    assertEquals(requests.length > 0, true);
  });
}
