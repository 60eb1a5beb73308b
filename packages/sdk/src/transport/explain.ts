/** What grpc-js says when no connection stands, and what it means to the person who set the address. */
const EXPLANATIONS: readonly (readonly [RegExp, (target: string) => string])[] = [
  [/ECONNREFUSED|ENOENT/, (at) => `nobody listens at ${at}`],
  [/Name resolution failed|ENOTFOUND|EAI_AGAIN/, (at) => `the host of ${at} cannot be found`],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, (at) => `${at} cannot be reached over the network`],
  [
    /wrong version number|packet length too long|http request/,
    (at) => `TLS mismatch: ${at} speaks no TLS, and \`tls\` is set`,
  ],
  [
    /self-signed|self signed|unable to verify|unable to get|certificate|altnames|bad cert|unknown ca/i,
    (at) => `the certificates of this client and of ${at} do not fit`,
  ],
  [
    // Nine digits of bytes announced: text that was read as the head of a message.
    /Received message larger than max \(\d{9,} /,
    (at) => `${at} is not a gateway: it speaks no gRPC`,
  ],
  [
    /no application protocol|Protocol error|HTTP status code|without gRPC status/,
    (at) => `${at} is not a gateway: it speaks no gRPC`,
  ],
  [
    /Last error: Failed to connect/,
    (at) =>
      `${at} closed the connection at once: not a gateway, or a TLS mismatch (it may want \`tls\`)`,
  ],
];

/**
 * A sentence for a failure to connect, from the text that grpc-js gives; undefined when the text names no such thing.
 * It only helps people: nothing branches on it.
 *
 * @param target the address as it was given
 */
export function explainFailure(details: string, target: string): string | undefined {
  const found = EXPLANATIONS.find(([pattern]) => pattern.test(details));
  return found?.[1](target);
}

/** What is at the bottom of the details that grpc-js gives, without what its balancers put around it. */
export function bareDetails(details: string): string {
  const bare = details
    .replace(/^(?:\w+: |No connection established\. |Last error: )*/, '')
    .replace(/\.? *Resolution note: *$/, '');
  return bare === '' ? details : bare;
}
