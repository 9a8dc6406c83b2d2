import { SpanKind, SpanStatusCode, TraceFlags, type HrTime } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { TraceSpan } from './span.ts';

/**
 * Sends spans by OTLP over HTTP, as the variables `OTEL_EXPORTER_OTLP_…`, `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES` of this process say.
 */
export class OtlpTracer {
  readonly #exporter: JsonExporter | ProtobufExporter | null;
  readonly #resource: Resource;
  readonly #version: string;
  #problem: string | null;
  /** What is on its way. */
  readonly #sending = new Set<Promise<void>>();

  /** `version`: of Mailroom. */
  constructor(environment: Readonly<Record<string, string | undefined>>, version: string) {
    const { OTEL_EXPORTER_OTLP_PROTOCOL: all, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: own } = environment;
    const protocol = own ?? all ?? 'http/protobuf';
    this.#exporter =
      protocol === 'http/json'
        ? new JsonExporter()
        : protocol === 'http/protobuf'
          ? new ProtobufExporter()
          : null;
    this.#problem =
      this.#exporter === null
        ? `no traces are sent: the protocol ${protocol} of OTEL_EXPORTER_OTLP_PROTOCOL is not http/protobuf or http/json`
        : null;
    this.#version = version;
    const ours = resourceFromAttributes({ 'service.name': 'mailroom', 'service.version': version });
    this.#resource = ours.merge(detectResources({ detectors: [envDetector] }));
  }

  get problem(): string | null {
    return this.#problem;
  }

  send(spans: readonly TraceSpan[]): void {
    const exporter = this.#exporter;
    if (exporter === null || spans.length === 0) return;
    const sent = new Promise<void>((resolve) => {
      exporter.export(
        spans.map((span) => this.#readable(span)),
        ({ error }) => {
          this.#problem = error === undefined ? null : `traces were not sent: ${error.message}`;
          resolve();
        },
      );
    });
    this.#sending.add(sent);
    void sent.finally(() => this.#sending.delete(sent));
  }

  async flush(): Promise<void> {
    await Promise.all(this.#sending);
  }

  #readable({ trace, id, parent, name, from, to, failed, attributes }: TraceSpan): ReadableSpan {
    const inTrace = (spanId: string) => ({ traceId: trace, spanId, traceFlags: TraceFlags.SAMPLED });
    return {
      name,
      kind: SpanKind.INTERNAL,
      spanContext: () => inTrace(id),
      ...(parent !== null && { parentSpanContext: inTrace(parent) }),
      startTime: hrTime(from),
      endTime: hrTime(Math.max(from, to)),
      duration: hrTime(Math.max(0, to - from)),
      status:
        failed === null ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: failed.text },
      attributes: { ...attributes, ...(failed !== null && { 'error.type': failed.code }) },
      links: [],
      events: [],
      ended: true,
      resource: this.#resource,
      instrumentationScope: { name: 'mailroom', version: this.#version },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  }
}

/** Milliseconds as seconds and nanoseconds. */
function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1e6)];
}
