import { money } from '../../../kernel/cost.ts';
import { oneLine } from '../../../kernel/one-line.ts';
import { duration } from '../../../kernel/times.ts';
import { inWords, labelsOf, ofWorkflow, quantileOf, sumOf } from './sums.ts';
import { Empty, Loaded, Panel, Table, View } from '../../../web/parts/panel.tsx';
import { Facts, Line } from '../../../web/parts/text.tsx';
import { useLive } from '../../../web/state/live.ts';
import { query, refine } from '../../../web/state/route.ts';
import type { MetricsDocument } from '../document.ts';

type Metric = MetricsDocument['metrics'][number];
type Sample = Metric['samples'][number];

/** What is counted of the project: how its runs end, how long they take, and what they cost. */
export function Metrics() {
  const live = useLive<MetricsDocument>('/metrics');
  const workflow = query.value.get('workflow') ?? '';
  const all = live.value.value?.metrics ?? [];
  const names = [
    ...new Set(all.flatMap(({ samples }) => samples.flatMap(({ labels }) => labels['workflow'] ?? []))),
  ];
  return (
    <View title="Metrics">
      <div class="filters">
        <select
          aria-label="Workflow"
          value={workflow}
          onChange={(event) => refine('workflow', event.currentTarget.value)}
        >
          <option value="">Every workflow</option>
          {names.toSorted().map((name) => (
            <option key={name} value={name}>
              <Line value={name} limit={60} />
            </option>
          ))}
        </select>
      </div>
      <Loaded live={live}>
        {({ metrics }) => <Shows metrics={metrics.map((each) => ofWorkflow(each, workflow))} />}
      </Loaded>
    </View>
  );
}

function Shows({ metrics }: { readonly metrics: readonly Metric[] }) {
  const samplesOf = (name: string) => metrics.find((each) => each.name === name)?.samples ?? [];
  const total = (name: string, status?: string) => sumOf(samplesOf(name), status);
  const ended = total('mailroom_runs_ended_total');
  const succeeded = total('mailroom_runs_ended_total', 'succeeded');
  const counted = metrics.filter(({ samples }) => samples.length > 0);
  if (counted.length === 0) return <Empty>Nothing was counted yet.</Empty>;
  return (
    <>
      <Facts
        of={[
          ['Runs ended', String(ended)],
          ['Succeeded', ended === 0 ? null : `${String(Math.round((100 * succeeded) / ended))} %`],
          ['Retries', String(total('mailroom_stage_retries_total'))],
          ['Tokens', total('mailroom_tokens_total').toLocaleString('en')],
          ['Cost', money({ usd: total('mailroom_cost_usd_total'), tokens: 0, unpriced: 0 })],
        ]}
      />
      {counted.map((metric) => (
        <Panel key={metric.name} title={metric.help} aside={<code class="dim">{metric.name}</code>}>
          <Samples metric={metric} />
        </Panel>
      ))}
    </>
  );
}

function Samples({ metric: { name: metric, help, kind, samples } }: { readonly metric: Metric }) {
  const labels = labelsOf(samples);
  const columns = kind === 'histogram' ? ['#Count', '#Mean', '#Median', '#95 %'] : ['#Value'];
  return (
    <Table
      caption={help}
      names={[...labels.map((each) => each.charAt(0).toUpperCase() + each.slice(1)), ...columns]}
    >
      <tbody>
        {samples.map((sample) => (
          <tr key={JSON.stringify(sample.labels)}>
            {labels.map((label, index) => {
              const value = oneLine(sample.labels[label] || '–', 80);
              return index === 0 ? (
                <th key={label} scope="row">
                  {value}
                </th>
              ) : (
                <td key={label}>{value}</td>
              );
            })}
            <Values name={metric} sample={sample} />
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Values({ name, sample: { value, histogram } }: { readonly name: string; readonly sample: Sample }) {
  if (histogram === null) return <td class="number">{value === null ? '' : inWords(name, value)}</td>;
  const { count, sum } = histogram;
  const seconds = (amount: number | null) => (amount === null ? '' : duration(amount * 1_000));
  return (
    <>
      <td class="number">{count}</td>
      <td class="number">{count > 0 && seconds(sum / count)}</td>
      <td class="number">{seconds(quantileOf(histogram, 0.5))}</td>
      <td class="number">{seconds(quantileOf(histogram, 0.95))}</td>
    </>
  );
}
