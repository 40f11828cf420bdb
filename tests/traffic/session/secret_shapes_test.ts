import { assertEquals } from "@std/assert";
import { shapedSecrets } from "../../../src/traffic/session/secret_names.ts";

const HEX = "0123456789abcdef0123456789abcdef";
const LETTERS = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

/** A credential of each known format. */
const CREDENTIALS = [
  "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln",
  ...["AKIA0123456789ABCDEF", "ASIA0123456789ABCDEF"],
  ...[`AIza${LETTERS.slice(0, 35)}`, `ya29.${LETTERS}`, `GOCSPX-${LETTERS}`],
  ...[`sk_live_${LETTERS}`, `rk_test_${LETTERS}`, `whsec_${LETTERS}`],
  ...[`ghp_${LETTERS}`, `github_pat_${LETTERS}`, `glpat-${LETTERS}`],
  ...[`xoxb-${LETTERS}`, `xapp-1-${LETTERS}`, `npm_${LETTERS}`, `pypi-${LETTERS}`],
  ...[`SG.${LETTERS}.${LETTERS}`, `key-${HEX}`, `${HEX}-us12`],
  ...[`sk-proj-${LETTERS}`, `sk-${LETTERS}`, `hf_${LETTERS}`],
  ...[`dop_v1_${HEX}`, `dapi${HEX}`, `hvs.${LETTERS}`, `dp.pt.${LETTERS}`],
  ...[`shpat_${HEX}`, `sq0atp-${LETTERS}`, `lin_api_${LETTERS}`, `ntn_${LETTERS}${LETTERS}`],
  ...[`glsa_${LETTERS}`, `sbp_${HEX}01234567`, `ATATT3${LETTERS}${LETTERS}`],
  ...[`PMAK-${HEX.slice(0, 24)}-${HEX}01`, `NRAK-${LETTERS.toUpperCase().slice(0, 27)}`],
  `12345678:${LETTERS.slice(0, 35)}`,
];

Deno.test("shapedSecrets finds a credential of each known format", () => {
  for (const credential of CREDENTIALS) {
    const { length } = credential;
    assertEquals(shapedSecrets(credential), [{ name: "", start: 0, end: length }], credential);
    const within = `a ${credential} b`;
    assertEquals(shapedSecrets(within), [{ name: "", start: 2, end: 2 + length }], within);
  }
});

Deno.test("shapedSecrets finds credentials in URLs and private keys", () => {
  const found = (text: string) =>
    shapedSecrets(text).map(({ start, end }) => text.slice(start, end));
  assertEquals(found("https://hooks.slack.com/services/T1/B2/secret3"), ["secret3"]);
  assertEquals(found("https://discord.com/api/webhooks/1/secret2"), ["secret2"]);
  assertEquals(found("postgres://user:secret@db/name"), ["secret"]);
  const key = "-----BEGIN PRIVATE KEY-----abc-----END PRIVATE KEY-----";
  assertEquals(found(key), [key]);
});

Deno.test("shapedSecrets ignores ids, numbers and words", () => {
  for (const text of ["2080c7112feffae0", "1732382100000", "Einstellungen", `${HEX}${HEX}`]) {
    assertEquals(shapedSecrets(text), []);
  }
});
