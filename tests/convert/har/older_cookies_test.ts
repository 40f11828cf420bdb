import { assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { noteLevel } from "../../../src/convert/notes/notes.ts";
import { type CaseCall, recordingOf } from "./recorded_case.ts";
import { converted } from "./wire_requests.ts";

const START = "no earlier response sets the cookies ";
const LOGIN: CaseCall = {
  request: "POST /login",
  form: { user: "ada", password: "Tea4Two!" },
  response_headers: { "Set-Cookie": "sid=1; Path=/" },
};
const withCookie = (Cookie: string): CaseCall => ({ request: "GET /a", headers: { Cookie } });

/** Returns the level and the cookies of the note on cookies that no response set. */
function older(...calls: CaseCall[]): [level: string, cookies: string] | undefined {
  const note = convertHar(recordingOf(calls), {}).notes.find(({ code }) =>
    code === "older-cookies"
  );
  return note && [noteLevel(note), note.message.slice(START.length).replace(/;.*/, "")];
}

Deno.test("convertHar warns about cookies that no response set, if the recording has no login", () => {
  assertEquals(older(withCookie(".ASPXAUTH=8F3A1C2B")), [
    "warning",
    "`.ASPXAUTH` in request 1 (GET /a)",
  ]);
  assertEquals(older({ request: "GET /" }, withCookie("x=1; y=2")), [
    "warning",
    "`x` in request 2 (GET /a), `y` in request 2 (GET /a)",
  ]);
  assertEquals(older(withCookie("sid=1"), { ...LOGIN, form: undefined }), [
    "warning",
    "`sid` in request 1 (GET /a)",
  ]);
});

Deno.test("convertHar only notes the cookies if the recording has a login", () => {
  assertEquals(older(LOGIN, withCookie("sid=1; _ga=2")), ["info", "`_ga` in request 2 (GET /a)"]);
  assertEquals(older(LOGIN, withCookie("sid=1")), undefined);
  assertEquals(older(LOGIN), undefined);
});

Deno.test("convertHar warns that the plan for the recording asp2.har logs in nowhere", async () => {
  const har = new URL("../../../testdata/har/bytes/asp2.har", import.meta.url);
  const { notes } = await converted(Deno.readTextFileSync(har));
  assertEquals(notes.map(({ code, message }) => [code, message]), [[
    "older-cookies",
    `${START}\`.ASPXAUTH\` in request 1 (GET /a); the plan does not send them, and it contains no ` +
    "login: record again, starting before the login",
  ]]);
});
