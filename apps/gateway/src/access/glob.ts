/**
 * Whether a text fits a pattern: `*` stands for any run of characters, `?` for one, all else for itself. It walks back
 * to the last star alone, so that its time is bounded by the product of both lengths.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  let [p, t] = [0, 0];
  let [star, resume] = [-1, 0];
  while (t < text.length) {
    const wanted = pattern[p];
    if (wanted === '*') {
      star = p;
      resume = t;
      p += 1;
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      resume += 1;
      p = star + 1;
      t = resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
