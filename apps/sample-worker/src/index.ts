export { type Checksum, handler } from './handlers.js';
