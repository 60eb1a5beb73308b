import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type Found, inFull, PAYLOAD_PROGRAMS, ROOT, type WorkerProgram } from '../src/index.js';
import { startGateway } from './gateway.js';
import { readAll, writeAll } from './payloads-typescript.js';
import { INVALID, readAs, VECTORS } from './vectors.js';

const redis = useRedis();
const run = promisify(execFile);

const find = inFull(PAYLOAD_PROGRAMS);
const found: readonly (readonly [string, Found])[] =
  'missing' in find ? [] : Object.entries(find).map(([name, program]) => [name, program()]);
const missing = found.flatMap(([name, it]) => ('missing' in it ? [`${name}: ${it.missing}`] : []));
const programs = found.flatMap(([name, it]) => ('missing' in it ? [] : [[name, it] as const]));
const reasons = 'missing' in find ? [find.missing] : missing;
const note = reasons.length > 0 ? ` (skipped: ${reasons.join('; ')})` : '';

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function call({ binary, args, env }: WorkerProgram, more: readonly string[]) {
  const options = { cwd: ROOT, env: { ...process.env, ...env } };
  return (await run(binary, [...args, ...more], options)).stdout;
}

/** The files of {@link VECTORS}, for programs in any language. */
function vectorFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-payloads-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, bytes] of Object.entries(VECTORS)) writeFileSync(join(folder, name), bytes);
  return folder;
}

/** As another program would have left it: a job whose data no gateway would take. */
async function seedInvalid(queue: string): Promise<void> {
  const job = `bull:${queue}:legacy`;
  await redis.client.hset(job, {
    name: 'invalid',
    data: INVALID,
    opts: '{"attempts":1}',
    timestamp: String(Date.now()),
    delay: '0',
    priority: '0',
  });
  await redis.client.rpush(`bull:${queue}:wait`, 'legacy');
}

it.skipIf('missing' in find)(
  `payloads written by each language are read by each, byte for byte${note}`,
  {
    timeout: 240_000,
  },
  async () => {
    const address = await startGateway(redis.url);
    const names = ['typescript', ...programs.map(([name]) => name)];
    const queueOf = (writer: string, reader: string) => `${writer}-to-${reader}`;
    const folder = vectorFolder();

    const written = (writer: string) => names.map((reader) => queueOf(writer, reader)).join(',');
    await writeAll(address, written('typescript').split(','), VECTORS);
    for (const [name, program] of programs) {
      await call(program, ['write', address, written(name), folder]);
    }
    for (const name of names) await seedInvalid(queueOf(name, name));

    const read = (reader: string) => names.map((writer) => queueOf(writer, reader)).join(',');
    const said: string[] = [...(await readAll(address, read('typescript').split(',')))];
    for (const [name, program] of programs) {
      said.push(...(await call(program, ['read', address, read(name)])).trim().split('\n'));
    }

    const vectors = Object.entries(VECTORS).map(([name, it]) => [name, readAs(it) ?? it] as const);
    const wanted = names.flatMap((writer) =>
      names.flatMap((reader) => {
        const queue = queueOf(writer, reader);
        const all = writer === reader ? [...vectors, ['invalid', INVALID] as const] : vectors;
        return all.map(([name, bytes]) => `${queue} ${name} ${sha(bytes)}`);
      }),
    );
    expect(said.toSorted()).toEqual(wanted.toSorted());

    // The results as well, as they stand in the store.
    for (const queue of names.flatMap((w) => names.map((r) => queueOf(w, r)))) {
      const ids = await redis.client.zrange(`bull:${queue}:completed`, 0, '-1');
      expect(ids).toHaveLength(vectors.length);
      for (const id of ids) {
        const key = `bull:${queue}:${id}`;
        const name = await redis.client.hget(key, 'name');
        const result = await redis.client.hgetBuffer(key, 'returnvalue');
        const wanted = readAs(VECTORS[name ?? '']) ?? INVALID;
        expect(result?.equals(wanted), `${queue} ${name}`).toBe(true);
      }
    }
    // What is no text was handed out as it was, and reported as failed.
    for (const name of names) {
      const key = `bull:${queueOf(name, name)}`;
      expect(await redis.client.zrange(`${key}:failed`, 0, '-1')).toEqual(['legacy']);
      expect((await redis.client.hgetBuffer(`${key}:legacy`, 'data'))?.equals(INVALID)).toBe(true);
    }
  },
);
