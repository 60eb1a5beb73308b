// Makes the page of src/page: files with their hash in their names, and the index that names them. Into build/page, from
// where the gateway serves them; nothing of it is fetched from elsewhere.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

rmSync(at('build/page'), { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: {
    dashboard: at('src/page/main.tsx'),
    style: at('src/page/style/index.css'),
    icon: at('src/page/icon.svg'),
  },
  outdir: at('build/page'),
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  metafile: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
  legalComments: 'none',
  logLevel: 'warning',
});
const outputs = Object.keys(metafile.outputs).map((path) => basename(path));
const named = (ending) => {
  const found = outputs.find((name) => name.endsWith(ending));
  if (found === undefined) throw new Error(`the bundle has no ${ending}`);
  return found;
};
const index = readFileSync(at('src/page/index.html'), 'utf8')
  .replace('dashboard.js', named('.js'))
  .replace('dashboard.css', named('.css'))
  .replace('icon.svg', named('.svg'));
writeFileSync(at('build/page/index.html'), index);
