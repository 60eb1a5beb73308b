import { describe, it } from 'vitest';
import { itNeverHangs } from './wait-races.js';

describe('T085 wait for result hangs: whatever races with the wait', () => {
  itNeverHangs(200, (title, run) => it(title, run, 60_000));
});
