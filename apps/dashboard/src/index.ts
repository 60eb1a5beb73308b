/** The dashboard of a gateway: a page, and what it asks for. Whoever serves it brings the callers and their rights. */
export type { Caller, DashboardPorts, EndedRequest } from './caller.js';
export { type Dashboard, makeDashboard } from './dashboard.js';
