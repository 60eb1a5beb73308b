import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository: this file is in `tools/languages/build` or `src`. */
export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** Where virtual environments and built programs are kept; git ignores it. */
export const CACHE = process.env.ECHOMQ_CACHE ?? join(ROOT, '.cache');
