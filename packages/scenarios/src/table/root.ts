import { fileURLToPath } from 'node:url';

/** The root of the repository; from src and from build it lies as far away. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The generated page. */
export const PAGE = 'docs/scenarios.md';
