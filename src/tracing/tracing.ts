import type { Tracer } from './span.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the standard variables of OpenTelemetry ask for traces. */
function wantsTraces(environment: Environment): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = environment;
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = environment;
  if ((all ?? '') === '' && (own ?? '') === '') return false;
  return disabled?.toLowerCase() !== 'true' && exporter !== 'none';
}

/** Null: the environment asks for no traces. What sends them is loaded only where it does. */
export async function openTracer(environment: Environment, version: string): Promise<Tracer | null> {
  if (!wantsTraces(environment)) return null;
  const { OtlpTracer } = await import('./otlp.ts');
  return new OtlpTracer(environment, version);
}
