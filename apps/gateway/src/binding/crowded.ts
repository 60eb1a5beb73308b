import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { inputOf } from './locate-fault.js';

/** Messages that the lists of one request may have, all together: twice the longest list that any request may bring. */
const MAX_ENTRIES = 20_000;
/** A text, or what else is read in no time, counts as a tenth of one. */
const LIGHT = 0.1;
/** An entry takes two bytes at least: a request of fewer cannot have more. */
const SMALL_BYTES = 2 * MAX_ENTRIES;
/** As deep as the generated code reads. */
const MAX_DEPTH = 100;
/** Of these a worker may name more than of any other, and they are light. */
const HELD = 'echomq.v1.HeldJob';

/**
 * The field with which a request has more entries than may be, counted before it is read: two million empty ones fit
 * into 4 MiB, and to make objects of them takes seconds, in which nobody else is served. A field that should come once
 * and comes again counts as an entry. `undefined` for any other request, also for one that cannot be read.
 *
 * @param path of the method, as in `/echomq.v1.WorkerService/FetchJobs`
 */
export function crowdedField(path: string, bytes: Uint8Array): string | undefined {
  if (bytes.length <= SMALL_BYTES) return undefined;
  const input = inputOf(path);
  return input && new Count(bytes).over(planOf(input), bytes.length);
}

/** What is to be known of a field. */
interface Step {
  readonly name: string;
  /** What one entry counts; 0 for a field that comes once. */
  readonly weight: number;
  readonly nested: DescMessage | undefined;
}

/** By the number of the field. */
type Plan = readonly (Step | undefined)[];

const plans = new WeakMap<DescMessage, Plan>();

function planOf(message: DescMessage): Plan {
  const known = plans.get(message);
  if (known) return known;
  const plan: (Step | undefined)[] = [];
  for (const field of message.fields) plan[field.number] = stepOf(field);
  plans.set(message, plan);
  return plan;
}

function stepOf(field: DescField): Step {
  const { name, fieldKind } = field;
  const nested = fieldKind === 'map' ? undefined : field.message;
  if (fieldKind !== 'list' && fieldKind !== 'map') return { name, weight: 0, nested };
  return { name, weight: nested && nested.typeName !== HELD ? 1 : LIGHT, nested };
}

/** One walk over the bytes of a request. What is malformed ends it early, and is found when the request is read. */
class Count {
  #at = 0;
  #entries = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The path of the field with which there are too many. */
  over(plan: Plan, end: number, depth = 0): string | undefined {
    let seen = 0;
    while (this.#at < end) {
      const tag = this.#varint();
      const number = tag >>> 3;
      const length = this.#lengthOf(tag & 7);
      const step = plan[number];
      if (step) {
        const bit = 1 << (number & 31);
        this.#entries += step.weight > 0 || (seen & bit) === 0 ? step.weight : 1;
        seen |= bit;
        if (this.#entries > MAX_ENTRIES) return step.name;
        if (step.nested && (tag & 7) === WireType.LengthDelimited && depth < MAX_DEPTH) {
          const last = Math.min(this.#at + length, this.bytes.length);
          const found = this.over(planOf(step.nested), last, depth + 1);
          if (found !== undefined) return `${step.name}.${found}`;
          continue;
        }
      }
      this.#at += length;
    }
    return undefined;
  }

  /** How many bytes the value has from here on. */
  #lengthOf(wireType: number): number {
    if (wireType === WireType.LengthDelimited) return this.#varint();
    if (wireType === WireType.Bit64) return 8;
    if (wireType === WireType.Bit32) return 4;
    if (wireType === WireType.Varint) this.#varint();
    return 0;
  }

  /** A number of up to 32 bits; of a longer one the rest is passed over. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      // Beyond the end all is 0, which ends it.
      const byte = this.bytes[this.#at++] ?? 0;
      if (shift < 32) value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }
}
