import { hash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';

/** A folder that lives as long as the running test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'echomq-gateway-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Puts a whole file in the place of another, as programs that renew files do. */
export function replaceFile(path: string, text: string | Buffer): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** What an entry of the access file holds for a token. */
export const hashed = (token: string): string => hash('sha256', token);

/** Writes an access file. JSON is YAML. */
export function accessFile(principals: readonly object[], folder = testFolder()) {
  const path = join(folder, 'access.yaml');
  const write = (entries: readonly object[]) =>
    replaceFile(path, JSON.stringify({ principals: entries }, null, 2));
  write(principals);
  return { path, write };
}

/** The metadata of a call with a bearer token. */
export function bearer(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

/** An entry with one token and one grant. */
export function entry(principal: string, token: string, more: object = {}) {
  const acl = [{ queues: ['*'], verbs: ['produce', 'work', 'read', 'admin'] }];
  return { principal, sha256: hashed(token), acl, ...more };
}
