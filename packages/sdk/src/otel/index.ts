/**
 * Traces by OpenTelemetry. Needs `@opentelemetry/api`, an optional peer of this package, and nothing else: which SDK
 * records and exports is your choice.
 */
export { type OpenTelemetryOptions, openTelemetry } from './open-telemetry.js';
