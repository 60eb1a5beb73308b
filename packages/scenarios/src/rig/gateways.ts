import { fileURLToPath } from 'node:url';
import { loadConfig, startGateway } from '@echomq/gateway';
import { type NodeProcess, type SpawnNodeOptions, spawnNode } from '@echomq/testkit';

/** A line that a gateway wrote to its log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly facts: object;
}

/** A gateway under test. */
export interface RigGateway {
  readonly address: string;
  /** Its process, where it has one of its own: to be killed, frozen and thawed. */
  readonly process: NodeProcess | undefined;
  /** What it logged; of a process, nothing. */
  readonly log: readonly LogLine[];
  stop(): Promise<void>;
}

/** As it is installed: built. */
const MAIN = fileURLToPath(new URL('../../../../apps/gateway/build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;

/** Starts a gateway inside this process, which takes some ms. @param flags as on the command line */
export async function gatewayHere(flags: readonly string[]): Promise<RigGateway> {
  const loaded = loadConfig({ env: {}, argv: ['--listen=127.0.0.1:0', ...flags] });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  const log: LogLine[] = [];
  const at = (level: LogLine['level']) => (event: string, facts: object) => {
    log.push({ level, event, facts });
  };
  const logger = { info: at('info'), warn: at('warn'), error: at('error') };
  const gateway = await startGateway(loaded.config, logger);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= gateway.close();
    return stopping;
  };
  return { address: gateway.address, process: undefined, log, stop };
}

/**
 * Starts a gateway as a process, which takes about half a second.
 *
 * @param flags as on the command line
 * @param more flags of node and variables
 */
export async function gatewayProcess(
  flags: readonly string[],
  more: Pick<SpawnNodeOptions, 'nodeArgs' | 'env'> = {},
): Promise<RigGateway> {
  const process = await spawnNode(MAIN, {
    ...more,
    args: flags.some((flag) => flag.startsWith('--listen='))
      ? flags
      : ['--listen=127.0.0.1:0', ...flags],
    ready: READY,
    readyLimitMs: 25_000,
  });
  const address = READY.exec(process.readyLine)?.[1] ?? '';
  return { address, process, log: [], stop: () => process.stop() };
}
