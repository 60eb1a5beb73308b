import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../pages.js';
import { sdkPage } from './sdk-page.js';

// `pnpm generate` runs it, and `pnpm check:generated` compares.
writeFileSync(join(ROOT, 'docs/reference/sdk.md'), sdkPage());
