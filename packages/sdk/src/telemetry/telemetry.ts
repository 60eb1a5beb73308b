/** Facts about a span, by the names of OpenTelemetry's conventions. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A span that is to begin. */
export interface SpanRequest {
  /** What is done and where, as `add orders`. */
  readonly name: string;
  readonly kind: 'producer' | 'consumer' | 'internal';
  readonly facts: SpanFacts;
  /** The headers of a job whose context is the parent, if they hold one; absent: the active context is. */
  readonly parent?: Readonly<Record<string, string>>;
  /** When it began; absent: now. */
  readonly startedAt?: Date;
}

/** A span under way. */
export interface TelemetrySpan {
  /** Its context as headers of a job. */
  readonly headers: Readonly<Record<string, string>>;
  /** Adds facts. */
  note(facts: SpanFacts): void;
  /** It failed. What its work throws does so by itself. */
  fail(error: unknown): void;
}

/**
 * What traces jobs from producer to worker: `openTelemetry()` of `@echomq/sdk/otel`, or something of your own. Queues,
 * workers and flow producers that are given none do nothing of it.
 */
export interface Telemetry {
  /** Runs some work within a new span, which is the active one meanwhile and ends with it. */
  span<T>(request: SpanRequest, work: (span: TelemetrySpan) => Promise<T>): Promise<T>;
}
