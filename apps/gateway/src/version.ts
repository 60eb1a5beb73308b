import { createRequire } from 'node:module';

const packageJson = createRequire(import.meta.url)('../package.json') as { version: string };

/** The version of this gateway. */
export const VERSION: string = packageJson.version;
