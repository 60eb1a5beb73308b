import type { Runner } from '../runner.js';
import { go } from './go.js';
import { java } from './java.js';
import { python } from './python.js';
import { rust } from './rust.js';
import { soak } from './soak.js';
import { vitest } from './vitest.js';

/** All runners, in the order in which they run. Another language's goes here, in a file of its own. */
export const RUNNERS: readonly Runner[] = [vitest, python, go, java, rust];

/** What CI runs besides. */
export const CI_RUNNERS: readonly Runner[] = [soak];
