import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository: this file is in `tools/test/build`. */
export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
