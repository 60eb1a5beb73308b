/** What jobs in flight are found by: tokens, and numbers that count up. */
export type ChurnKey = string | number;

const SMALLEST = 16;
/** An empty map with more room than this starts anew with little. */
const LARGE = 8_192;
/** A client that chooses its numbers does not know which of them fall together. */
const MULTIPLIER = (Math.floor(Math.random() * 0x7fffffff) << 1) | 1;

/**
 * A map for entries that come and go with every job. A `Map` makes a new table after some hundred of them, and the old
 * one, once it is old enough for the large heap, keeps all that it held until the next full collection: so every job of a
 * busy process is copied and kept, and each short collection takes milliseconds. Here an entry is forgotten when it is
 * deleted. Keys stand in the order in which they came, as in a `Map`.
 */
export class ChurnMap<Key extends ChurnKey, Value> {
  #keys: (Key | undefined)[] = [];
  #values: (Value | undefined)[] = [];
  /** By slot: the hash of its key, and the slots that came before and after it, or the next free one; -1 for none. */
  #hashes = new Int32Array(0);
  #before = new Int32Array(0);
  #after = new Int32Array(0);
  /** Slot + 1 at the place of its hash, or at the next that was free; 0 for none. */
  #places = new Int32Array(0);
  #first = -1;
  #last = -1;
  #free = -1;
  #size = 0;

  /** How many entries stand. */
  get size(): number {
    return this.#size;
  }

  /** Whether there is an entry of this key. */
  has(key: Key): boolean {
    return this.#size > 0 && this.#find(key, hashOf(key)) >= 0;
  }

  /** The value of this key. */
  get(key: Key): Value | undefined {
    if (this.#size === 0) return undefined;
    const place = this.#find(key, hashOf(key));
    return place < 0 ? undefined : this.#values[slotAt(this.#places, place)];
  }

  /** Sets the value of this key; a new key comes last. */
  set(key: Key, value: Value): this {
    const hash = hashOf(key);
    const known = this.#size === 0 ? -1 : this.#find(key, hash);
    if (known >= 0) {
      this.#values[slotAt(this.#places, known)] = value;
      return this;
    }
    if (this.#free < 0) this.#resize(Math.max(SMALLEST, this.#keys.length * 2));
    const slot = this.#free;
    this.#free = this.#after[slot] as number;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#hashes[slot] = hash;
    this.#before[slot] = this.#last;
    this.#after[slot] = -1;
    if (this.#last < 0) this.#first = slot;
    else this.#after[this.#last] = slot;
    this.#last = slot;
    this.#size += 1;
    this.#place(slot, hash);
    return this;
  }

  /** Deletes the entry of this key. Returns whether there was one. */
  delete(key: Key): boolean {
    const place = this.#size === 0 ? -1 : this.#find(key, hashOf(key));
    if (place < 0) return false;
    const slot = slotAt(this.#places, place);
    this.#close(place);
    const [before, after] = [this.#before[slot] as number, this.#after[slot] as number];
    if (before < 0) this.#first = after;
    else this.#after[before] = after;
    if (after < 0) this.#last = before;
    else this.#before[after] = before;
    this.#keys[slot] = undefined;
    this.#values[slot] = undefined;
    this.#after[slot] = this.#free;
    this.#free = slot;
    this.#size -= 1;
    if (this.#size === 0 && this.#keys.length > LARGE) this.clear();
    return true;
  }

  /** Deletes all entries. */
  clear(): void {
    this.#keys = [];
    this.#values = [];
    this.#first = -1;
    this.#last = -1;
    this.#free = -1;
    this.#size = 0;
    this.#hashes = new Int32Array(0);
    this.#before = new Int32Array(0);
    this.#after = new Int32Array(0);
    this.#places = new Int32Array(0);
  }

  /** Visits the entries in order until told `false`. A visit may delete the entry that it is told of, and no other. */
  visit(each: (value: Value, key: Key) => boolean): void {
    for (let slot = this.#first; slot >= 0; ) {
      const after = this.#after[slot] as number;
      if (!each(this.#values[slot] as Value, this.#keys[slot] as Key)) return;
      slot = after;
    }
  }

  /** The keys that stand now: a list of its own, whatever comes and goes while it is walked. */
  keys(): Key[] {
    const keys: Key[] = [];
    for (let slot = this.#first; slot >= 0; slot = this.#after[slot] as number) {
      keys.push(this.#keys[slot] as Key);
    }
    return keys;
  }

  /** The values that stand now, as {@link keys}. */
  values(): Value[] {
    const values: Value[] = [];
    for (let slot = this.#first; slot >= 0; slot = this.#after[slot] as number) {
      values.push(this.#values[slot] as Value);
    }
    return values;
  }

  /** The place of a key in the table; -1 for one that does not stand. */
  #find(key: Key, hash: number): number {
    const places = this.#places;
    const mask = places.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const slot = slotAt(places, place);
      if (slot < 0) return -1;
      if (this.#hashes[slot] === hash && this.#keys[slot] === key) return place;
    }
  }

  #place(slot: number, hash: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let place = hash & mask;
    while (places[place] !== 0) place = (place + 1) & mask;
    places[place] = slot + 1;
  }

  /** Empties a place. Who stood further back for want of room moves up. */
  #close(place: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let hole = place;
    for (let next = (hole + 1) & mask; places[next] !== 0; next = (next + 1) & mask) {
      const home = (this.#hashes[slotAt(places, next)] as number) & mask;
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      places[hole] = places[next] as number;
      hole = next;
    }
    places[hole] = 0;
  }

  /** Makes room for so many; twice as many places, so that few fall together. */
  #resize(room: number): void {
    const had = this.#keys.length;
    this.#hashes = widened(this.#hashes, room);
    this.#before = widened(this.#before, room);
    this.#after = widened(this.#after, room);
    this.#places = new Int32Array(room * 2);
    for (let slot = room - 1; slot >= had; slot--) {
      this.#after[slot] = this.#free;
      this.#free = slot;
    }
    for (let slot = had; slot < room; slot++) {
      this.#keys.push(undefined);
      this.#values.push(undefined);
    }
    for (let slot = this.#first; slot >= 0; slot = this.#after[slot] as number) {
      this.#place(slot, this.#hashes[slot] as number);
    }
  }
}

function slotAt(places: Int32Array, place: number): number {
  return (places[place] as number) - 1;
}

function widened(old: Int32Array, room: number): Int32Array<ArrayBuffer> {
  const wide = new Int32Array(room);
  wide.set(old);
  return wide;
}

/** Of a text its last letters count: tokens are random throughout, and six of theirs fill a hash. */
function hashOf(key: ChurnKey): number {
  let hash = 0;
  if (typeof key === 'number') hash = key;
  else {
    for (let at = Math.max(0, key.length - 6); at < key.length; at++) {
      hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
    }
  }
  const spread = Math.imul(hash, MULTIPLIER);
  return spread ^ (spread >>> 15);
}
