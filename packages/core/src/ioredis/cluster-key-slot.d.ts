declare module 'cluster-key-slot' {
  /** The slot of a key, 0 to 16383; a hash tag decides when there is one. */
  export default function calculateSlot(key: string): number;
}
