/** EchoMQ beside BullMQ: the cases of the oracle and the list of the differences that are meant. For tests only. */
export { CASES } from './cases/index.js';
export { DIFFERENCES, type Difference, type DifferenceId } from './differences.js';
export type { OracleCase, TransitionCases } from './oracle/oracle-case.js';
export { PEERS, type Peer } from './oracle/peers.js';
