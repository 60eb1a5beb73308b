import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../reference-pages.mjs';
import { fileDescriptorSet } from '../src/descriptors.js';
import { PROTO_DIR } from './buf.js';

const pages = referencePages();
const files = fromBinary(FileDescriptorSetSchema, fileDescriptorSet()).file.filter(
  (file) => file.package === 'echomq.v1',
);

/** What a page says below a heading. */
const sectionOf = (page: string, heading: string) =>
  `\n${page}`.split(`\n${heading}\n`)[1]?.split(/\n##+ /)[0] ?? '';

describe('docs/reference', () => {
  it.each(Object.entries(pages))(
    '%s.md is what a fresh run makes (pnpm generate)',
    (name, text) => {
      expect(readFileSync(join(PROTO_DIR, `../docs/reference/${name}.md`), 'utf8')).toBe(text);
    },
  );

  it('has every rpc, with words and errors', () => {
    for (const rpc of files.flatMap((file) => file.service).flatMap(({ method }) => method)) {
      const section = sectionOf(pages.rpcs, `### ${rpc.name}`);
      expect(section, rpc.name).toContain(rpc.inputType.slice('.echomq.v1.'.length));
      expect(section, rpc.name).toMatch(/\n\n[A-Z].{20,}/);
      expect(section, rpc.name).toContain('Errors: ');
    }
  });

  it('has every field of every message and every value of every enum, with words', () => {
    for (const message of files.flatMap((file) => file.messageType)) {
      const section = sectionOf(pages.messages, `## ${message.name}`);
      for (const { name } of message.field) {
        expect(section, message.name).toMatch(
          new RegExp(`^\\| \`${name}\` \\| \\S.* \\| \\S.{3,} \\|$`, 'm'),
        );
      }
    }
    for (const each of files.flatMap((file) => file.enumType)) {
      const section = sectionOf(pages.messages, `## ${each.name}`);
      for (const { name } of each.value) expect(section).toContain(`| \`${name}\` | `);
    }
  });
});
