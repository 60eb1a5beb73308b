import { buildFirst } from '../../build-first.mjs';

buildFirst('@echomq/transcript');
const { writeTranscript } = await import('../build/index.js');
await writeTranscript();
