import type { FunctionVariant } from "./function.ts";

export const jwtDecode = {
  parameters: ["token", "part?"],
  description:
    'The claims of a JSON Web Token, or its header if `part` is "header". The signature is not verified',
  example: 'jwt_decode("e30.eyJzdWIiOiI3In0.").sub',
  result: "7",
  check: ([, part]) =>
    part === undefined || part === "payload" || part === "header"
      ? undefined
      : 'the second argument must be "payload" or "header"',
} satisfies FunctionVariant;
