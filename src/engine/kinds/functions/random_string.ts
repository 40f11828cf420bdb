import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, spend, toInteger, toText } from "./function_runtime.ts";

const LETTERS_AND_DIGITS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"];

/**
 * Cost of generating one random character, as the number of characters that can be copied in the
 * same time.
 */
const WORK_PER_CHARACTER = 30;

/** `random_string()` function: returns random text of a given length. */
export const randomString: FunctionRuntime = {
  pure: false,
  call([length, characters], { random }) {
    const alphabet = characters === undefined ? LETTERS_AND_DIGITS : [...toText(characters)];
    const count = toInteger(length);
    if (count < 0 || alphabet.length === 0) {
      throw new TemplateFault(
        "random_string(): expected a length of at least 0 and a nonempty set of characters",
      );
    }
    spend(count * WORK_PER_CHARACTER);
    let text = "";
    for (let i = 0; i < count; i++) text += alphabet[random.int(0, alphabet.length - 1)];
    return text;
  },
};
