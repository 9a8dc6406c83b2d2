import { route, type AboutServer, type Route } from '../../server/http/route.ts';
import { metricsDocument } from './document.ts';
import { prometheusText } from './metrics.ts';
import { Metrics } from './read-metrics.ts';

/** What is counted, for the page and for Prometheus. */
export function metricsRoutes({ openStreams }: AboutServer): Route[] {
  const metrics = new Metrics();
  return [
    route({
      method: 'get',
      path: '/api/v1/metrics',
      summary: 'What is counted, from the journals; as text in the format of Prometheus',
      tag: 'project',
      document: metricsDocument,
      media: 'text/plain',
      handle: async ({ project, now }, { headers }) => {
        const document = await metrics.read(project, { now: now(), streams: openStreams() });
        const wantsText = /text\/plain|openmetrics/.test(headers.get('accept') ?? '');
        return wantsText
          ? { text: prometheusText(document), type: 'text/plain; version=0.0.4; charset=utf-8' }
          : { document };
      },
    }),
    route({
      method: 'get',
      path: '/metrics',
      summary: 'The same for Prometheus',
      tag: 'project',
      media: 'text/plain',
      handle: async ({ project, now }) => ({
        text: prometheusText(await metrics.read(project, { now: now(), streams: openStreams() })),
        type: 'text/plain; version=0.0.4; charset=utf-8',
      }),
    }),
  ];
}
