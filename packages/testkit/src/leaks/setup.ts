/** A Vitest set-up file: every test file that it is set up for fails on what it leaves behind. */
import { failOnLeaks } from './fail-on-leaks.js';

failOnLeaks();
