/**
 * JobOptions and the options as they are stored: a JSON object with BullMQ's names, so that peers read it.
 *
 * Three members are ours; peers keep unknown ones as they are: `headers` (an object of strings), `runAt` (ms since the
 * epoch, where the producer named an instant instead of a delay), and whatever `extra_opts_json` holds. Members that
 * this version does not model, and modelled ones in a form that it does not, come back in `extra_opts_json` byte for
 * byte.
 */
export { decodeOptions } from './decode-options.js';
export { encodeOptions, type OptionsLink } from './encode-options.js';
