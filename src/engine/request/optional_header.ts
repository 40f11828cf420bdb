import { constantValue, type Rendered, varying } from "../flow/rendered.ts";
import { joined } from "../flow/compile_template.ts";
import { UnsetVariable } from "../vu/flow_end.ts";

/**
 * Headers that most servers do not require, by lower-case name. Each function returns the value to
 * send if a variable in the header is not set. Undefined means that a `Referer` is omitted, and
 * that a request with this `Origin` is not sent. `pieces` are the pieces of the header's value.
 */
const SUBSTITUTES: Readonly<
  Record<string, (pieces: readonly Rendered<string>[]) => string | undefined>
> = {
  referer: () => undefined,
  origin: ([first]) => /^https?:\/\/[^/?#]+(?=\/)/i.exec(constantValue(first) ?? "")?.[0],
};

/** Value of a header. Undefined means that the header is not sent. */
export type HeaderValue = Rendered<string | undefined>;

/**
 * Compiles the value of a header from its pieces. If a variable in a `Referer` is not set, the
 * header is omitted. If a variable in the path of an `Origin` is not set, only the origin is sent.
 * In both cases, the VU counts an omitted header. In other headers, an unset variable throws a
 * TemplateFault.
 */
export function compileHeaderValue(
  name: string,
  pieces: readonly Rendered<string>[],
): HeaderValue {
  const value = joined(pieces);
  const key = name.toLowerCase();
  if (value.constant || !Object.hasOwn(SUBSTITUTES, key)) return value;
  const substitute = SUBSTITUTES[key](pieces);
  if (key === "origin" && substitute === undefined) return value;
  return varying((vu) => {
    try {
      return value.render(vu);
    } catch (error) {
      if (!(error instanceof UnsetVariable)) throw error;
      vu.omitHeader();
      return substitute;
    }
  });
}
