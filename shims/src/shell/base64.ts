/** Bytes from text that was wrapped into lines or not. */
export function decode(text: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text, 'base64');
  return new Uint8Array(buffer, byteOffset, length);
}

/** Decodes what comes in pieces that end anywhere. */
export class Base64Decoder {
  #rest = '';

  push(text: string): Uint8Array {
    const all = this.#rest + text.replaceAll(/\s/g, '');
    const whole = all.length - (all.length % 4);
    this.#rest = all.slice(whole);
    return decode(all.slice(0, whole));
  }
}
