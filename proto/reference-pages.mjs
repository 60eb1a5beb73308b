// Makes docs/reference/rpcs.md and docs/reference/messages.md of the comments in the .proto files.
import { readdirSync, readFileSync } from 'node:fs';
import { readProto } from './read-proto.mjs';

const FOLDER = new URL('echomq/v1/', import.meta.url);
const MADE =
  '<!-- Made by proto/reference-pages.mjs from proto/echomq/v1: run `pnpm generate`. -->';

/**
 * The pages by their names.
 *
 * @returns {Record<'rpcs' | 'messages', string>}
 */
export function referencePages() {
  const files = readdirSync(FOLDER).sort();
  const all = files.map((name) => readProto(readFileSync(new URL(name, FOLDER), 'utf8')));
  const definitions = all.flatMap((file) => file.definitions);
  const known = new Set(definitions.map(({ name }) => name));
  return {
    rpcs: rpcsPage(
      all.flatMap((file) => file.services),
      known,
    ),
    messages: messagesPage(definitions, known),
  };
}

/**
 * @param {import('./read-proto.mjs').Service[]} services
 * @param {ReadonlySet<string>} known
 */
function rpcsPage(services, known) {
  const parts = services.map(({ name, comment, rpcs }) => {
    const texts = rpcs.map((rpc) => {
      const [what = '', errors = ''] = rpc.comment.split('Errors:\n');
      const refused = errors.trim() === '' ? '' : `\n\nErrors: ${joined(linked(errors))}`;
      const call = `${link(rpc.request, known)} → ${link(rpc.response, known)}`;
      return `### ${rpc.name}\n\n${call}\n\n${what.trim()}${refused}`;
    });
    return `## ${name}\n\n${comment}\n\n${texts.join('\n\n')}`;
  });
  return `# The calls of echomq.v1\n\n${MADE}\n\nWhat each field means: [messages](messages.md). What each reason asks you to do: [errors](../errors.md).\nWhat a caller needs for each: [rights](../operations.md#rights).\n\n${parts.join('\n\n')}\n`;
}

/**
 * @param {import('./read-proto.mjs').Definition[]} definitions
 * @param {ReadonlySet<string>} known
 */
function messagesPage(definitions, known) {
  const parts = [...definitions]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ kind, name, comment, fields }) => {
      const rows = fields.map((field) => {
        const type = kind === 'enum' ? '' : link(field.type, known);
        const one = field.oneof === undefined ? '' : `One of \`${field.oneof}\`. `;
        const cells = kind === 'enum' ? [] : [type];
        return `| ${[`\`${field.name}\``, ...cells, one + cell(field.comment)].join(' | ')} |`;
      });
      const head =
        kind === 'enum' ? '| Value | |\n| --- | --- |' : '| Field | Type | |\n| --- | --- | --- |';
      const table = rows.length === 0 ? '' : `\n\n${head}\n${rows.join('\n')}`;
      return `## ${name}\n\n${comment}${table}`;
    });
  return `# The messages of echomq.v1\n\n${MADE}\n\nBy name. Who sends them: [calls](rpcs.md). A field that is not sent has the default that its comment names.\n\n${parts.join('\n\n')}\n`;
}

/**
 * A type with a link to where it is explained.
 *
 * @param {string} type
 * @param {ReadonlySet<string>} known
 */
function link(type, known) {
  const name = type.split(' ').at(-1) ?? '';
  if (!known.has(name)) return `\`${type}\``;
  return `[\`${type}\`](messages.md#${name.toLowerCase()})`;
}

/** @param {string} errors */
function linked(errors) {
  return errors.replaceAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g, '`$&`');
}

/** @param {string} text */
function joined(text) {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .join(' ');
}

/** @param {string} text */
function cell(text) {
  return joined(text).replaceAll('|', '\\|');
}
