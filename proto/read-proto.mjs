// Reads .proto files as this repository writes them: one declaration per line, a comment of `//` lines above each.

/**
 * @typedef {{ name: string, type: string, comment: string, oneof?: string }} Field
 * @typedef {{ kind: 'message' | 'enum', name: string, comment: string, fields: Field[] }} Definition
 * @typedef {{ name: string, request: string, response: string, comment: string }} Rpc
 * @typedef {{ name: string, comment: string, rpcs: Rpc[] }} Service
 */

/**
 * What a file declares.
 *
 * @param {string} text
 * @returns {{ services: Service[], definitions: Definition[] }}
 */
export function readProto(text) {
  /** @type {Service[]} */
  const services = [];
  /** @type {Definition[]} */
  const definitions = [];
  /** @type {string[]} */
  let comment = [];
  /** @type {string | undefined} */
  let oneof;
  for (const line of text.split('\n')) {
    const said = /^ *\/\/ ?(.*)$/.exec(line)?.[1];
    if (said !== undefined) {
      comment.push(said);
      continue;
    }
    const words = comment.join('\n').trim();
    const rpc = /^ {2}rpc (\w+)\(((?:stream )?\w+)\) returns \(((?:stream )?\w+)\)/.exec(line);
    const [, kind, name = ''] = /^(service|message|enum) (\w+) \{/.exec(line) ?? [];
    const field = /^ {2,4}(?:((?:repeated |optional )?[\w.<>, ]+?) )?(\w+) = \d+;$/.exec(line);
    const group = /^ {2}oneof (\w+) \{/.exec(line)?.[1];
    if (kind === 'service') services.push({ name, comment: words, rpcs: [] });
    else if (kind === 'message' || kind === 'enum') {
      definitions.push({ kind, name, comment: words, fields: [] });
    } else if (rpc) {
      const [, rpcName = '', request = '', response = ''] = rpc;
      services.at(-1)?.rpcs.push({ name: rpcName, request, response, comment: words });
    } else if (group !== undefined) oneof = group;
    else if (field) {
      const [, type = '', fieldName = ''] = field;
      const inside = oneof === undefined || !line.startsWith('    ') ? {} : { oneof };
      definitions.at(-1)?.fields.push({ name: fieldName, type, comment: words, ...inside });
    } else if (/^ {2}\}/.test(line)) oneof = undefined;
    comment = [];
  }
  return { services, definitions };
}
