/** Imported first by a soak file: what it imports next runs with the numbers of the scenario as it is written. */
import { takeAsWritten } from '../src/index.js';

takeAsWritten();
