import type { PlannedResponse, ReceivedRequest } from "./recording_server.ts";

/** The properties of a HAR entry that are needed to replay its response. */
interface Entry {
  readonly request: { readonly method: string; readonly url: string };
  readonly response?: {
    readonly status: number;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly content?: { readonly text?: string; readonly encoding?: string };
  };
}

/**
 * Reads a HAR and returns a function that starts a replay of it. Requests with the same method and
 * path get the recorded responses in order. After the last response, they get that response again.
 */
export async function recordedResponses(
  file: string,
): Promise<() => (request: ReceivedRequest) => PlannedResponse> {
  const text = (await Deno.readTextFile(file)).replace(/^\uFEFF/, "");
  const { log: { entries } } = JSON.parse(text) as { readonly log: { readonly entries: Entry[] } };
  const lists = Map.groupBy(
    entries.filter(({ response, request }) =>
      (response?.status ?? 0) > 0 && URL.canParse(request.url)
    ),
    ({ request }) => `${request.method} ${new URL(request.url).pathname}`,
  );
  return () => {
    const used = new Map<string, number>();
    return ({ method, target }) => {
      const key = `${method} ${target.replace(/\?.*$/, "")}`;
      const list = lists.get(key) ?? [];
      const at = used.get(key) ?? 0;
      used.set(key, at + 1);
      const entry = list[Math.min(at, list.length - 1)];
      return entry === undefined ? FALLBACK : planned(entry);
    };
  };
}

const FALLBACK: PlannedResponse = { status: 200, headers: [], body: "" };

function planned({ response }: Entry): PlannedResponse {
  const { status, headers = [], content } = response!;
  const text = content?.text ?? "";
  return {
    status: status < 200 ? 200 : status,
    headers: headers.filter(({ name }) => !name.startsWith(":"))
      .flatMap(({ name, value }) =>
        name.toLowerCase() === "set-cookie"
          ? value.split("\n").map((one): [string, string] => [name, one])
          : [[name, value] as const]
      ),
    body: content?.encoding === "base64" ? decodeText(text) : text,
  };
}

function decodeText(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(text));
  } catch {
    return text;
  }
}
