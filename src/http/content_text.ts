const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

const decoders = new Map<string, TextDecoder>();
const utf8 = new TextDecoder();

/**
 * Decodes a body to text in the charset that `contentType` specifies. Uses UTF-8 if the charset is
 * missing or unknown.
 */
export function contentText(bytes: Uint8Array, contentType: string | undefined): string {
  const charset = contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1];
  return (charset === undefined ? utf8 : decoderFor(charset.toLowerCase())).decode(bytes);
}

function decoderFor(charset: string): TextDecoder {
  if (charset === "utf-8") return utf8;
  let decoder = decoders.get(charset);
  if (decoder === undefined) {
    decoder = createDecoder(charset);
    if (decoder !== utf8) decoders.set(charset, decoder);
  }
  return decoder;
}

function createDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return utf8;
  }
}
