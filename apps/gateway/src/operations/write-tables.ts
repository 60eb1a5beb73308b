/** Writes the tables of docs/operations.md anew: run with `pnpm --filter @echomq/gateway run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withTables } from './tables.js';

const page = fileURLToPath(new URL('../../../../docs/operations.md', import.meta.url));
writeFileSync(page, withTables(readFileSync(page, 'utf8')));
