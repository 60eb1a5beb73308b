import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { HEADERS } from './answer.js';

/** A file of the page, ready to be sent. */
interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
  /** Its name changes with its content. */
  readonly lasting: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Where the bundle is, beside this code. */
const FOLDER = fileURLToPath(new URL('../page/', import.meta.url));

/** The files of the page by their paths, read once: they are few and small. @throws Error where it was not built */
export function readAssets(folder: string = FOLDER): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const name of readdirSync(folder)) {
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const plain = readFileSync(`${folder}/${name}`);
    const index = name === 'index.html';
    const asset = { type, plain, zipped: gzipSync(plain), lasting: !index };
    assets.set(index ? '/' : `/${name}`, asset);
  }
  if (!assets.has('/')) throw new Error(`${folder} holds no page`);
  return assets;
}

/** Sends a file. */
export function sendAsset(
  request: IncomingMessage,
  response: ServerResponse,
  { type, plain, zipped, lasting }: Asset,
): void {
  const zip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const body = zip ? zipped : plain;
  response.writeHead(200, {
    ...HEADERS,
    'content-type': type,
    'content-length': body.length,
    vary: 'accept-encoding',
    ...(zip ? { 'content-encoding': 'gzip' } : {}),
    ...(lasting ? { 'cache-control': 'public, max-age=31536000, immutable' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
