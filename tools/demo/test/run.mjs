// The demo as a process, without the build before it: what bin/demo.mjs does after buildFirst.
const { main } = await import('../build/main.js');
process.exitCode = await main(process.argv.slice(2));
