/** The code blocks of the repository's pages, and who answers for each. */
export { blockIn } from './block-in.js';
export { type Block, blocksOf } from './blocks.js';
export { allBlocks, listPages, ROOT, readPage } from './pages.js';
export { type Program, programsOf } from './programs.js';
export { type Use, useOf } from './uses.js';
