import type { MailHost } from '../../mail/host/mail-host.ts';
import type { MailOptions } from '../../mail/host/ports.ts';
import { MailSpans } from './mail-spans.ts';
import { openTracer } from './tracing.ts';

type Environment = Parameters<typeof openTracer>[0];

/** The traces of the mail; nothing where they are not wanted. */
export async function openMailTraces(environment: Environment, version: string) {
  const tracer = await openTracer(environment, version);
  const spans = new MailSpans();
  const onEvents: MailOptions['onEvents'] =
    tracer === null ? undefined : (events, state) => tracer.send(spans.spans(events, state));
  return {
    options: onEvents === undefined ? {} : { onEvents },
    start: (host: MailHost) => {
      if (tracer !== null) spans.remember(host.state);
      host.start();
    },
    problems: () => (tracer?.problem == null ? [] : [tracer.problem]),
    close: async (others: () => Promise<void>) => {
      await tracer?.flush();
      await others();
    },
  };
}
