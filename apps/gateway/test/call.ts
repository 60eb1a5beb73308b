import { BadRequest, durationToMs, ErrorInfo, RetryInfo, Status } from '@echomq/proto/messages';
import { type ServiceError, status } from '@grpc/grpc-js';

/** How a unary call of a generated client ended: the answer, or the error. */
export function unary<Response>(
  call: (callback: (error: ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    call((error, response) => (error ? reject(error) : resolve(response)));
  });
}

/** The error that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call;
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('the call succeeded');
}

/** An error as it came over the wire, taken apart. */
export function takenApart(error: ServiceError) {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  const details = bytes === undefined ? undefined : Status.decode(bytes as Buffer);
  const find = (type: string) =>
    details?.details.find(({ typeUrl }) => typeUrl === `type.googleapis.com/google.rpc.${type}`)
      ?.value;
  const [info, bad, retry] = [find('ErrorInfo'), find('BadRequest'), find('RetryInfo')];
  const retryDelay = retry && RetryInfo.decode(retry).retryDelay;
  return {
    status: status[error.code],
    message: error.details,
    sameInDetails: details?.code === error.code && details.message === error.details,
    info: info && ErrorInfo.decode(info),
    violations: bad
      ? BadRequest.decode(bad).fieldViolations.map(({ field, description }) => [field, description])
      : [],
    retryMs: retryDelay && durationToMs(retryDelay),
    pushbackMs: error.metadata.get('grpc-retry-pushback-ms')[0],
  };
}
