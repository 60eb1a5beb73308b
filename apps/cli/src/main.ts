#!/usr/bin/env node
import { runCommandLine } from './run.js';
import { processTerminal } from './terminal/terminal.js';

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
