import { privateRedis } from './private-redis.js';

/**
 * Whether the server binary of this machine was built with TLS; some are not. For
 * `it.runIf(await serverSpeaksTls())`, so that such a test is counted as skipped.
 *
 * @throws Error when a server does not start for another reason
 */
export async function serverSpeaksTls(): Promise<boolean> {
  try {
    await using _server = await privateRedis({ tls: true });
    return true;
  } catch (error) {
    if (/Failed finding TLS support|'tls-port /.test(`${error}`)) return false;
    throw error;
  }
}
