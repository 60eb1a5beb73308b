/** What stands next in packed bytes. */
export type PackedKind = 'array' | 'text' | 'number' | 'other';

/** A view keeps the whole reply alive: what is less than this part of it is copied. */
const WORTH_A_VIEW = 1 / 8;

/** So many digits make no number that is not whole. */
const MAX_DIGITS = 15;

/** Reads what Redis's cmsgpack has packed, value by value. Texts are bytes until somebody wants them as text. */
export class PackedReader {
  #at = 0;

  constructor(private readonly packed: Buffer) {}

  /** What the next value is. Nil and booleans are `other`. */
  get kind(): PackedKind {
    const head = this.packed[this.#at] as number;
    if (head < 0x80 || head >= 0xe0) return 'number';
    if (head < 0x90) return 'other';
    if (head < 0xa0 || head === 0xdc || head === 0xdd) return 'array';
    if (head < 0xc0 || (head >= 0xd9 && head <= 0xdb)) return 'text';
    return head >= 0xca && head <= 0xd3 ? 'number' : 'other';
  }

  /** Begins an array: how many values follow. */
  array(): number {
    const head = this.#byte();
    if (head >= 0x90 && head < 0xa0) return head & 0x0f;
    if (head === 0xdc) return this.#uint(2);
    if (head === 0xdd) return this.#uint(4);
    throw new TypeError(`msgpack: 0x${head.toString(16)} begins no array`);
  }

  /** A number, also one that stands as a text; 0 for what is none. */
  number(): number {
    if (this.kind === 'text') {
      const end = this.#textEnd();
      const number = this.#digits(this.#at, end);
      this.#at = end;
      return number;
    }
    const head = this.#byte();
    if (head < 0x80) return head;
    if (head >= 0xe0) return head - 0x100;
    return this.#wideNumber(head);
  }

  /** A text; `undefined` for what is none. */
  text(): string | undefined {
    if (this.kind !== 'text') return this.skip();
    const end = this.#textEnd();
    const text = this.packed.toString('utf8', this.#at, end);
    this.#at = end;
    return text;
  }

  /**
   * The bytes of a text; `undefined` for what is none.
   *
   * @param usual is returned itself where the text is the same: most are
   */
  bytes(usual?: Buffer): Buffer | undefined {
    if (this.kind !== 'text') return this.skip();
    const end = this.#textEnd();
    const at = this.#at;
    this.#at = end;
    if (usual && this.packed.compare(usual, 0, usual.length, at, end) === 0) return usual;
    if (end - at >= this.packed.length * WORTH_A_VIEW) return this.packed.subarray(at, end);
    const copy = Buffer.allocUnsafe(end - at);
    this.packed.copy(copy, 0, at, end);
    return copy;
  }

  /** Passes over one value. */
  skip(): undefined {
    const { kind } = this;
    if (kind === 'array') for (let left = this.array(); left > 0; left--) this.skip();
    else if (kind === 'text') this.#at = this.#textEnd();
    else if (kind === 'number') this.number();
    else this.#at += 1;
    return undefined;
  }

  /** A number in letters. Most are a few digits: those are read without making a string of them. */
  #digits(at: number, end: number): number {
    let number = 0;
    for (let i = at; i < end; i++) {
      const digit = (this.packed[i] as number) - 0x30;
      if (digit < 0 || digit > 9 || end - at > MAX_DIGITS) {
        const other = Number(this.packed.toString('latin1', at, end));
        return Number.isFinite(other) ? other : 0;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /** Moves behind the head of a text and says where the text ends. */
  #textEnd(): number {
    const head = this.#byte();
    const size = head < 0xc0 ? head & 0x1f : this.#uint(1 << (head - 0xd9));
    return this.#at + size;
  }

  #wideNumber(head: number): number {
    const at = this.#at;
    switch (head) {
      case 0xca:
        this.#at += 4;
        return this.packed.readFloatBE(at);
      case 0xcb:
        this.#at += 8;
        return this.packed.readDoubleBE(at);
      case 0xcf:
        return this.#uint(4) * 2 ** 32 + this.#uint(4);
      case 0xd0:
      case 0xd1:
      case 0xd2: {
        const size = 1 << (head - 0xd0);
        this.#at += size;
        return this.packed.readIntBE(at, size);
      }
      case 0xd3:
        this.#at += 8;
        return Number(this.packed.readBigInt64BE(at));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#uint(1 << (head - 0xcc));
      default:
        return 0;
    }
  }

  #uint(size: number): number {
    const value = this.packed.readUIntBE(this.#at, size);
    this.#at += size;
    return value;
  }

  #byte(): number {
    return this.packed[this.#at++] as number;
  }
}
