// Makes docs/errors.md of the .proto files: the table of reasons is the contract's, so it is written there and read
// here. Plain JavaScript, because generate.mjs runs before anything is built.
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('echomq/v1/', import.meta.url);

/** The statuses of gRPC; a comment that begins with one stands before its group of reasons. */
const STATUS = /^ {2}\/\/ ([A-Z]+(?:_[A-Z]+)*)(?:, with (\w+))?$/;
const REASON = /^ {2}ERROR_REASON_(\w+) = \d+;$/;

/**
 * The reasons of errors.proto, in its order.
 *
 * @param {string} text errors.proto
 * @returns {{ reason: string, status: string, details: string, when: string, advice: string }[]}
 */
export function readReasons(text) {
  /** @type {ReturnType<typeof readReasons>} */
  const rows = [];
  let status = '';
  let details = '';
  /** @type {string[]} */
  let comment = [];
  for (const line of text.slice(text.indexOf('enum ErrorReason {')).split('\n').slice(1)) {
    const group = STATUS.exec(line);
    const reason = REASON.exec(line)?.[1];
    if (group && comment.length === 0) [, status = '', details = ''] = group;
    else if (line.startsWith('  // ')) comment.push(line.slice('  // '.length));
    if (reason !== undefined && reason !== 'UNSPECIFIED') {
      const [when = '', advice = ''] = comment.join(' ').split(' Do: ');
      rows.push({ reason, status, details, when, advice });
    }
    if (reason !== undefined) comment = [];
  }
  return rows;
}

/**
 * The reasons with which any rpc may answer, as the head of errors.proto names them.
 *
 * @param {string} text errors.proto
 * @returns {string[]}
 */
export function readCommonReasons(text) {
  const [, head = ''] = /Any rpc may answer with: ([\s\S]*?)The `Errors:` block/.exec(text) ?? [];
  return head.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [];
}

/**
 * The rpcs of the service files with the reasons of their `Errors:` blocks.
 *
 * @param {readonly string[]} texts the files
 * @returns {{ rpc: string, reasons: string[] }[]}
 */
export function readRpcs(texts) {
  return texts.flatMap((text) =>
    [...text.matchAll(/((?: {2}\/\/.*\n)+) {2}rpc (\w+)/g)].map(([, comment = '', rpc = '']) => ({
      rpc,
      reasons: comment.split('// Errors:\n')[1]?.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [],
    })),
  );
}

/**
 * The page, from the files as they are.
 *
 * @returns {string}
 */
export function errorsPage() {
  /** @param {string} name */
  const read = (name) => readFileSync(new URL(name, FOLDER), 'utf8');
  const errors = read('errors.proto');
  const services = readdirSync(FOLDER).filter((name) => name.endsWith('_service.proto'));
  const rpcs = readRpcs(services.sort().map(read));
  const common = new Set(readCommonReasons(errors));
  const rows = readReasons(errors).map(({ reason, status, details, when, advice }) => {
    const named = rpcs.filter(({ reasons }) => reasons.includes(reason)).map(({ rpc }) => rpc);
    const where = common.has(reason) ? ['any'] : named;
    const code = details === '' ? status : `${status}, ${details}`;
    return `| \`${reason}\` | ${code} | ${when} | ${capital(advice)} | ${where.join(', ')} |`;
  });
  return `${HEAD}\n${rows.join('\n')}\n\n${TAIL}`;
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const HEAD = `# Errors

<!-- Made by proto/errors-page.mjs from proto/echomq/v1: run \`pnpm generate\`. -->

Every error that a gateway sends carries a \`google.rpc.Status\`: of a call in the trailer
\`grpc-status-details-bin\`, of a report in its \`report_ack\`, of an item of a bulk in its result. Its first
detail is a \`google.rpc.ErrorInfo\` of the domain \`echomq\`. **Branch on its \`reason\`, never on a text**; a
reason that you do not know is treated as its status is. INVALID_ARGUMENT also has a \`BadRequest\` that
names the field, and what may pass by itself has a \`RetryInfo\` and the trailer \`grpc-retry-pushback-ms\`.
[Errors by rpc](errors-by-rpc.md) has which rpc was seen to answer with which.

| Reason | Status | When | What to do | Named by |
| --- | --- | --- | --- | --- |`;

const TAIL = `*Named by*: the rpcs whose \`Errors:\` block has it; *any*: every rpc may answer with it.

## Without a reason

An error without an \`ErrorInfo\` was not made by a gateway, but by gRPC on either side or by what stands
between.

| Status | What it says | What to do |
| --- | --- | --- |
| UNAVAILABLE | The connection broke. **The call may have been carried out** | As with \`OUTCOME_UNKNOWN\`: retry what changes nothing a second time, or has a \`request_id\` |
| DEADLINE_EXCEEDED | Your own deadline passed; the call may have been carried out | The same |
| RESOURCE_EXHAUSTED | A message is larger than one side takes | Do not retry |
| CANCELLED | You cancelled, or a proxy did | A stream: open another |
| UNIMPLEMENTED | No such rpc: the server is older, or it is no gateway | See GetServerInfo |
| INTERNAL, UNKNOWN | A message could not be read, or a proxy failed | A stream: open another, with a backoff |

## Rules for retries

1. UNAVAILABLE *with* a reason: nothing was carried out. Any call may be retried.
2. \`OUTCOME_UNKNOWN\`, and UNAVAILABLE without a reason: only what is idempotent, or has the same
   \`request_id\` as before.
3. \`LOCK_LOST\` and \`LOCK_NOT_OWNED\` end the run: the result is discarded, and no failure is sent.
4. A size is never retried, whichever status says it.
5. The wait is random between nothing and a bound that doubles from 100 ms to some seconds, and never
   shorter than \`RetryInfo.retry_delay\`.
`;
