// The same run with all of its 20,000 jobs; `peers-run.test.ts` has the scaled form.
process.env.ECHOMQ_PEERS_JOBS ??= '20000';
await import('./peers-run.test.js');
