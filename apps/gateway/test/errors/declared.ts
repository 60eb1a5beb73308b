import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../../proto/echomq/v1/', import.meta.url);
const REASON = /\b[A-Z]+(?:_[A-Z]+)+\b/g;

const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** A reason with what errors.proto promises of it. */
export interface Promised {
  readonly status: string;
  /** `BadRequest` or `RetryInfo`, where its group says so. */
  readonly detail: string | undefined;
}

/** The rpcs with the reasons of their own, from the `Errors:` blocks of the .proto files. */
export function declaredReasons(): ReadonlyMap<string, readonly string[]> {
  const services = readdirSync(FOLDER).filter((name) => name.endsWith('_service.proto'));
  return new Map(
    services
      .sort()
      .flatMap((name) =>
        [...read(name).matchAll(/((?: {2}\/\/.*\n)+) {2}rpc (\w+)/g)].map(
          ([, comment = '', rpc = '']): [string, string[]] => [
            rpc,
            comment.split('// Errors:\n')[1]?.match(REASON) ?? [],
          ],
        ),
      ),
  );
}

/** The reasons that any rpc may answer with, from the head of errors.proto. */
export function commonReasons(): readonly string[] {
  const [, head = ''] =
    /Any rpc may answer with: ([\s\S]*?)The `Errors:` block/.exec(read('errors.proto')) ?? [];
  return head.match(REASON) ?? [];
}

/** What errors.proto promises of each reason. */
export function promised(): ReadonlyMap<string, Promised> {
  const found = new Map<string, Promised>();
  let group: Promised = { status: '', detail: undefined };
  for (const line of read('errors.proto').split('enum ErrorReason {')[1]?.split('\n') ?? []) {
    const [, status, detail] = /^ {2}\/\/ ([A-Z]+(?:_[A-Z]+)*)(?:, with (\w+))?$/.exec(line) ?? [];
    if (status !== undefined) group = { status, detail };
    const [, reason] = /^ {2}ERROR_REASON_(\w+) = \d+;$/.exec(line) ?? [];
    if (reason !== undefined) found.set(reason, group);
  }
  return found;
}
