/**
 * Packs a value as Redis's cmsgpack reads it. That knows no type for bytes, so a `Uint8Array` travels as a string, byte
 * for byte; an absent field is left out, `null` and a hole become nil.
 *
 * @throws TypeError for what has no form: functions, symbols, bigints.
 */
export function pack(value: unknown): Buffer {
  const packing = new Packing();
  packing.add(value);
  return packing.bytes();
}

/** Where values are packed before their size is known. Nothing else runs meanwhile. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

class Packing {
  #buffer = scratch;
  #length = 0;

  bytes(): Buffer {
    const packed = this.#buffer.subarray(0, this.#length);
    return this.#buffer === scratch ? Buffer.from(packed) : packed;
  }

  add(value: unknown): void {
    if (value === undefined || value === null) this.#byte(0xc0);
    else if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'boolean') this.#byte(value ? 0xc3 : 0xc2);
    else if (value instanceof Uint8Array) this.#raw(value);
    else if (Array.isArray(value)) this.#array(value);
    else if (typeof value === 'object') this.#map(value);
    else throw new TypeError(`msgpack: a ${typeof value} cannot be packed`);
  }

  #array(items: readonly unknown[]): void {
    this.#head(items.length, 0x90, 0xdd);
    for (const item of items) this.add(item);
  }

  #map(fields: object): void {
    const named = fields as Readonly<Record<string, unknown>>;
    let count = 0;
    for (const name in named) if (named[name] !== undefined) count++;
    this.#head(count, 0x80, 0xdf);
    for (const name in named) {
      const value = named[name];
      if (value === undefined) continue;
      this.#text(name);
      this.add(value);
    }
  }

  #text(text: string): void {
    if (text.length < 64 && this.#ascii(text)) return;
    const size = Buffer.byteLength(text);
    this.#head(size, 0xa0, 0xdb);
    this.#room(size);
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** Names and ids are short and plain: letter by letter is faster than a call of the encoder. */
  #ascii(text: string): boolean {
    const size = text.length;
    this.#room(size + 5);
    const buffer = this.#buffer;
    let at = this.#length + (size < 32 ? 1 : 5);
    for (let i = 0; i < size; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      buffer[at++] = code;
    }
    this.#head(size, 0xa0, 0xdb);
    this.#length += size;
    return true;
  }

  #raw(bytes: Uint8Array): void {
    this.#head(bytes.length, 0xa0, 0xdb);
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #number(value: number): void {
    this.#room(9);
    const at = this.#length;
    if (Number.isInteger(value) && value >= 0 && value < 0x80) {
      this.#byte(value);
    } else if ((value | 0) === value) {
      this.#buffer[at] = 0xd2;
      this.#length = this.#buffer.writeInt32BE(value, at + 1);
    } else {
      this.#buffer[at] = 0xcb;
      this.#length = this.#buffer.writeDoubleBE(value, at + 1);
    }
  }

  /** A kind with its size: in one byte when small, else in five. */
  #head(size: number, small: number, large: number): void {
    const limit = small === 0xa0 ? 32 : 16;
    this.#room(5);
    if (size < limit) {
      this.#byte(small | size);
    } else {
      this.#buffer[this.#length] = large;
      this.#length = this.#buffer.writeUInt32BE(size, this.#length + 1);
    }
  }

  #byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#length++] = value;
  }

  #room(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
