import type { Extension } from '../../cli/extension.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the standard variables of OpenTelemetry ask for traces. */
function wantsTraces(environment: Environment): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = environment;
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = environment;
  if ((all ?? '') === '' && (own ?? '') === '') return false;
  return disabled?.toLowerCase() !== 'true' && exporter !== 'none';
}

/** Spans of runs, threads and turns, sent to where the variables of OpenTelemetry say. */
export const tracing: Extension = {
  name: 'tracing',
  followMail: async (environment) =>
    wantsTraces(environment) ? (await import('./mail-spans.ts')).followMail(environment) : null,
  reportRun: async (run, environment) =>
    wantsTraces(environment) ? (await import('./run-spans.ts')).sendRun(run, environment) : null,
};
