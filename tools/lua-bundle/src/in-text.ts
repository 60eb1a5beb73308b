import { constantEdits } from './constants.js';
import { editHalves, type Flat, flatten, type Halves } from './flat.js';
import { callEdits } from './inline.js';

/**
 * A bundle with all that can stand where it is used: first constants, then the functions that join texts. A round may
 * make the next one possible, so there are rounds until nothing changes; each takes names away, so there is a last one.
 */
export function inText(path: string, halves: Halves): Flat {
  let text = halves;
  let flat = flatten(path, text);
  for (const editsOf of [constantEdits, callEdits]) {
    for (let edits = editsOf(flat); edits.length > 0; edits = editsOf(flat)) {
      text = editHalves(text, edits);
      flat = flatten(path, text);
    }
  }
  return flat;
}
