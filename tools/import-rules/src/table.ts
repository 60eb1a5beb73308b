/**
 * Who may import whom: docs/architecture.md as data. A workspace package that is not here is refused, so a new one
 * begins with a line in this file.
 */

/** What one package may ask for. */
export interface Allowance {
  /** Entries of workspace packages that its sources may import. */
  readonly may: readonly string[];
  /** Entries that its tests may import besides. `@echomq/testkit` is allowed in every test. */
  readonly tests?: readonly string[];
  /**
   * Entries with rules of their own: all that such a file reaches inside the package may import no more than this.
   * A file that several entries reach obeys them all; one that none reaches obeys `may`.
   */
  readonly entries?: Readonly<Record<string, EntryAllowance>>;
}

/** What may be reached from one entry. */
export interface EntryAllowance {
  readonly may: readonly string[];
  /** What it may take types from besides, by `import type`: nothing of it is loaded. */
  readonly types?: readonly string[];
}

const GRPC = ['@grpc/grpc-js', '@grpc/proto-loader', '@grpc/reflection', 'grpc-health-check'];

/** By folder. Workspace entries only; {@link EXTERNALS} rules over the rest. */
export const TABLE: Readonly<Record<string, Allowance>> = {
  lua: { may: [] },
  proto: { may: [], tests: ['@echomq/proto/*'] },
  'packages/core': {
    may: ['@echomq/lua'],
    entries: {
      'src/index.ts': { may: ['@echomq/lua'] },
      'src/ioredis/index.ts': { may: ['@echomq/lua', 'ioredis', 'cluster-key-slot', 'node:*'] },
    },
  },
  'packages/engine': {
    may: ['@echomq/core', '@echomq/proto/messages', '@echomq/proto/churn-map'],
    tests: ['@echomq/core/*'],
  },
  'packages/sdk': {
    may: [
      '@echomq/proto/messages',
      '@echomq/proto/churn-map',
      '@echomq/proto/services',
      '@echomq/engine',
      '@echomq/core',
      '@echomq/core/ioredis',
    ],
    tests: ['@echomq/testkit/script-faults', '@echomq/gateway'],
    entries: {
      'src/index.ts': {
        may: [
          '@echomq/proto/messages',
          '@echomq/proto/churn-map',
          '@echomq/proto/services',
          '@grpc/grpc-js',
          '@bufbuild/protobuf',
          'node:*',
        ],
      },
      'src/otel/index.ts': { may: ['@opentelemetry/api', 'node:*'] },
      'src/embedded/index.ts': {
        may: [
          '@echomq/proto/messages',
          '@echomq/proto/churn-map',
          '@echomq/engine',
          '@echomq/core/ioredis',
          '@bufbuild/protobuf',
          'node:*',
        ],
        types: ['@echomq/core', '@echomq/proto/services'],
      },
    },
  },
  'packages/testkit': {
    may: ['@echomq/core', '@echomq/engine', '@echomq/sdk', '@echomq/local-redis'],
  },
  'packages/compat': {
    may: [
      '@echomq/core/*',
      '@echomq/core',
      '@echomq/engine',
      '@echomq/sdk/*',
      '@echomq/sdk',
      '@echomq/testkit',
    ],
    tests: ['@echomq/gateway'],
  },
  'packages/scenarios': {
    may: [
      '@echomq/core',
      '@echomq/core/*',
      '@echomq/engine',
      '@echomq/gateway',
      '@echomq/proto/*',
      '@echomq/sdk',
      '@echomq/sdk/*',
      '@echomq/testkit',
    ],
  },
  'apps/gateway': {
    may: [
      '@echomq/engine',
      '@echomq/core',
      '@echomq/core/*',
      '@echomq/proto/*',
      '@echomq/dashboard',
    ],
  },
  'apps/sample-worker': { may: ['@echomq/sdk', '@echomq/sdk/*'], tests: ['@echomq/gateway'] },
  'apps/cli': { may: ['@echomq/sdk', '@echomq/sdk/*'], tests: ['@echomq/gateway'] },
  'apps/dashboard': {
    may: ['@echomq/engine', '@echomq/proto/messages'],
    tests: ['@echomq/core'],
  },
  'tools/lua-bundle': { may: [] },
  'tools/import-rules': { may: [] },
  'tools/walk': { may: [] },
  'tools/generated': { may: [] },
  'tools/local-redis': { may: [] },
  'packages/worker-python': { may: [] },
  'packages/worker-go': { may: [] },
  'tools/languages': {
    may: [],
    tests: [
      '@echomq/gateway',
      '@echomq/proto/messages',
      '@echomq/proto/services',
      '@echomq/sdk',
      '@echomq/sdk/*',
    ],
  },
  'tools/test': { may: ['@echomq/local-redis', '@echomq/languages'] },
  'tools/transcript': { may: ['@echomq/local-redis'] },
  'tools/docs': {
    may: [],
    tests: ['@echomq/gateway', '@echomq/languages', '@echomq/sdk', '@echomq/sdk/*'],
  },
  'tools/conformance': {
    may: ['@echomq/languages', '@echomq/proto/messages', '@echomq/proto/services'],
  },
  'tools/demo': {
    may: [
      '@echomq/languages',
      '@echomq/local-redis',
      '@echomq/sdk',
      '@echomq/gateway',
      '@echomq/sample-worker',
    ],
  },
  'tools/bench': {
    may: [
      '@echomq/core',
      '@echomq/core/ioredis',
      '@echomq/languages',
      '@echomq/local-redis',
      '@echomq/sdk',
      '@echomq/sdk/*',
      '@echomq/engine',
      '@echomq/gateway',
      '@echomq/proto/*',
    ],
  },
};

/** A named external and the only places, by the beginning of a path, that may ask for it. */
export interface External {
  readonly names: readonly string[];
  readonly only: readonly RegExp[];
}

/** Externals that are tied to a place. Others need only be declared in the package's own package.json. */
export const EXTERNALS: readonly External[] = [
  {
    names: GRPC,
    only: [
      /^proto\/gen\/echomq\/v1\/\w+_service\.ts$/,
      /^proto\/test\//,
      /^apps\/gateway\//,
      /^packages\/(sdk|scenarios)\//,
      /^tools\/conformance\//,
      /^tools\/languages\/test\//,
      /^tools\/bench\//,
    ],
  },
  {
    names: ['ioredis'],
    only: [
      /^packages\/core\/src\/ioredis\//,
      /^packages\/core\/test\//,
      /^packages\/(testkit|compat|scenarios)\//,
      /^tools\//,
    ],
  },
  { names: ['bullmq', 'bullmq5'], only: [/^packages\/compat\//, /^tools\/bench\//] },
];

/** Files over 300 lines, each with its reason. Short, and meant to stay so. */
export const LONG_FILES: Readonly<Record<string, string>> = {
  'proto/echomq/v1/queue.proto': 'messages of one service, more comment than code',
  'proto/echomq/v1/worker_stream.proto': 'messages of one stream, more comment than code',
  'proto/echomq/v1/queue_service.proto': 'one service, more comment than code',
  'proto/echomq/v1/queue_jobs.proto': 'messages of one service, more comment than code',
  'packages/engine/src/dispatch/queue-dispatch.ts':
    'one state: when a queue is idle, who is asked, what is fetched; its parts are files of their own already',
};

/** Imports that leave their package, by file: what runs before anything is built. */
export const OUTSIDE_IMPORTS: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ['tools/build-first.mjs', [/^tools\/[\w-]+\/bin\/[\w-]+\.mjs$/]],
]);
