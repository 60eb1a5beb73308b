import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { newRequestId } from '../src/transport/request-id.js';

const built = fileURLToPath(new URL('../build/transport/request-id.js', import.meta.url));

it('gives no id twice, in this process or in another', async () => {
  const ids = Array.from({ length: 10_000 }, newRequestId);
  expect(new Set(ids).size).toBe(10_000);
  for (const id of ids) expect(id).toMatch(/^[\w-]{18,64}$/);
  const print = `import(${JSON.stringify(built)}).then((m) => console.log(m.newRequestId()))`;
  const run = promisify(execFile);
  const others = await Promise.all([1, 2].map(() => run(process.execPath, ['-e', print])));
  const beginnings = [...others.map(({ stdout }) => stdout.trim()), ids[0] ?? ''].map((id) =>
    id.slice(0, 16),
  );
  expect(new Set(beginnings).size).toBe(3);
});
