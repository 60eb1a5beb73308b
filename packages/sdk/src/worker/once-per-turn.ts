/** Does the work once, at the end of this turn of the event loop, however often it is called for until then. */
export function oncePerTurn(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    process.nextTick(() => {
      asked = false;
      work();
    });
  };
}
