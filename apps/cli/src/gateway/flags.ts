import { type Command, Option } from 'commander';
import { duration } from '../arguments/duration.js';

/** How the gateway is reached, as the flags and variables say. */
export interface GatewayFlags {
  readonly address: string;
  readonly tokenFile?: string;
  readonly tls?: boolean;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsServerName?: string;
  readonly timeout?: number;
  readonly json?: boolean;
}

const GROUP = 'Gateway:';

/** Adds the flags that every command which speaks to a gateway has. */
export function withGatewayFlags(command: Command): Command {
  const file = (flags: string, what: string, variable: string) =>
    new Option(flags, what).env(variable).helpGroup(GROUP);
  return command
    .addOption(
      new Option('--address <host:port>', 'where the gateway is')
        .default('127.0.0.1:50051')
        .env('ECHOMQ_ADDRESS')
        .helpGroup(GROUP),
    )
    .addOption(
      file(
        '--token-file <path>',
        'the file with the bearer token, read anew for each call; the variable ECHOMQ_TOKEN holds a token itself',
        'ECHOMQ_TOKEN_FILE',
      ),
    )
    .addOption(
      new Option(
        '--tls',
        'encrypt, with the authorities that Node knows (or ECHOMQ_TLS=1)',
      ).helpGroup(GROUP),
    )
    .addOption(file('--tls-ca <path>', 'encrypt; who signed the gateway', 'ECHOMQ_TLS_CA'))
    .addOption(file('--tls-cert <path>', "this client's certificate", 'ECHOMQ_TLS_CERT'))
    .addOption(file('--tls-key <path>', 'its key', 'ECHOMQ_TLS_KEY'))
    .addOption(
      file(
        '--tls-server-name <name>',
        "check the gateway's certificate against this name",
        'ECHOMQ_TLS_SERVER_NAME',
      ),
    )
    .addOption(
      new Option('--timeout <span>', 'how long one call may take')
        .argParser(duration)
        .env('ECHOMQ_TIMEOUT')
        .helpGroup(GROUP),
    )
    .addOption(
      new Option('--json', 'answer in JSON: one value, or one per line where it is a list'),
    );
}
