import { parseExactJson } from "../../../base/exact_json.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, toText } from "./function_runtime.ts";

const DECODER = new TextDecoder("utf-8", { fatal: true });

/**
 * `jwt_decode()` function: decodes the claims or the header of a JSON Web Token. Does not verify
 * the signature.
 */
export const jwtDecode: FunctionRuntime = {
  pure: true,
  call([token, part]) {
    const parts = toText(token).split(".");
    if (parts.length < 2) throw new TemplateFault("jwt_decode(): not a JSON Web Token");
    try {
      const bytes = Uint8Array.fromBase64(parts[part === "header" ? 0 : 1], {
        alphabet: "base64url",
      });
      return parseExactJson(DECODER.decode(bytes));
    } catch {
      throw new TemplateFault(
        "jwt_decode(): a part of the JSON Web Token is not base64url-encoded JSON",
      );
    }
  },
};
