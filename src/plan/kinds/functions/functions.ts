import { base64 } from "./base64_function.ts";
import { base64url } from "./base64url.ts";
import { date } from "./date.ts";
import type { FunctionVariant } from "./function.ts";
import { hex } from "./hex.ts";
import { hmacSha256 } from "./hmac_sha256.ts";
import { json } from "./json_function.ts";
import { jwtDecode } from "./jwt_decode.ts";
import { length } from "./length.ts";
import { lower } from "./lower.ts";
import { now } from "./now.ts";
import { number } from "./number_function.ts";
import { pkceChallenge } from "./pkce_challenge.ts";
import { pkceVerifier } from "./pkce_verifier.ts";
import { randomChoice } from "./random_choice.ts";
import { randomFloat } from "./random_float.ts";
import { randomInt } from "./random_int.ts";
import { randomString } from "./random_string.ts";
import { replace } from "./replace.ts";
import { sha256 } from "./sha256.ts";
import { substring } from "./substring.ts";
import { upper } from "./upper.ts";
import { urlEncode } from "./url_encode.ts";
import { uuid } from "./uuid.ts";

/** All functions that expressions can call, by name. The docs list them in this order. */
export const FUNCTIONS = {
  base64,
  base64url,
  url_encode: urlEncode,
  hex,
  sha256,
  hmac_sha256: hmacSha256,
  jwt_decode: jwtDecode,
  json,
  number,
  length,
  substring,
  replace,
  lower,
  upper,
  date,
  now,
  uuid,
  random_int: randomInt,
  random_float: randomFloat,
  random_string: randomString,
  random_choice: randomChoice,
  pkce_verifier: pkceVerifier,
  pkce_challenge: pkceChallenge,
} satisfies Readonly<Record<string, FunctionVariant>>;

/** Name of a function that expressions can call. */
export type FunctionName = keyof typeof FUNCTIONS;
