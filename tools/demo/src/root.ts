import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository: this file is in `tools/demo/build` or `tools/demo/src`. */
export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
