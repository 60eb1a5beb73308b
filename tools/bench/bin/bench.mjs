import { buildFirst } from '../../build-first.mjs';

buildFirst('@echomq/bench');
const { main } = await import('../build/main.js');
process.exitCode = await main(process.argv.slice(2));
