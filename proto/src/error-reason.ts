import { ErrorReason } from '../gen/echomq/v1/errors.js';

/** The `domain` of every `google.rpc.ErrorInfo` that EchoMQ sends. */
export const ERROR_DOMAIN = 'echomq';

/** A reason as it stands in `ErrorInfo.reason`: the name of the enum's value without its prefix. */
export type ErrorReasonName = Exclude<keyof typeof ErrorReason, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

/** Every reason of the contract, in the order of `errors.proto`. */
export const ERROR_REASON_NAMES: readonly ErrorReasonName[] =
  Object.keys(ErrorReason).filter(isErrorReasonName);

/** Whether a name from the wire is a reason that this version of the contract knows. */
export function isErrorReasonName(name: string): name is ErrorReasonName {
  return Object.hasOwn(ErrorReason, name) && name !== 'UNSPECIFIED' && name !== 'UNRECOGNIZED';
}
