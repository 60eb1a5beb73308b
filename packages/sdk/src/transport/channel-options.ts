import type { ChannelOptions } from '@grpc/grpc-js';
import { SDK_VERSION } from '../version.js';
import { REPEATABLE } from './repeatable.js';

/** The gateway takes and sends messages of at most so many bytes unless it is set otherwise. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

function serviceConfig(): string {
  const name = Object.entries(REPEATABLE).flatMap(([service, methods]) =>
    methods.map((method) => ({
      service: `echomq.v1.${capitalised(service)}Service`,
      method: capitalised(method),
    })),
  );
  return JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [
      {
        name,
        retryPolicy: {
          maxAttempts: 4,
          initialBackoff: '0.1s',
          maxBackoff: '2s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
    retryThrottling: { maxTokens: 10, tokenRatio: 0.1 },
  });
}

/** The settings of every channel. */
export function channelOptions(maxMessageBytes: number): ChannelOptions {
  return {
    'grpc.primary_user_agent': `echomq-sdk-typescript/${SDK_VERSION}`,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.keepalive_permit_without_calls': 0,
    'grpc-node.flow_control_window': 1024 * 1024,
    // Workers pace their own reconnects; a channel that waits two minutes would make theirs meaningless.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    // A connection belongs to one `connect`: closing it ends it, and a fresh one is really fresh.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
    'grpc.service_config': serviceConfig(),
  };
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
