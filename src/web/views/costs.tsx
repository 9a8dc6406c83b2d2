import { oneLine } from '../../kernel/one-line.ts';
import { costKinds, money, type Cost, type CostKind } from '../../kernel/cost.ts';
import { shortId } from '../../kernel/ids.ts';
import { Choice } from '../parts/filters.tsx';
import { Empty, Loaded, Panel, Table, View } from '../parts/panel.tsx';
import { Line, paid } from '../parts/text.tsx';
import { clock } from '../state/clock.ts';
import { useLive } from '../state/live.ts';
import { useSubjects } from '../state/subjects.ts';
import { inQuery, link } from '../state/route.ts';
import { CostDays } from './cost-days.tsx';
import type { CostsDocument } from '../../documents/mail.ts';
import type { Overview } from '../../documents/status.ts';

const periods = [
  ['', 'All time'],
  ['1d', 'One day'],
  ['7d', 'Seven days'],
  ['30d', 'Thirty days'],
] as const;

/** What was paid, and for what. */
export function Costs() {
  const [by, since] = [inQuery('by') || 'role', inQuery('since')];
  const live = useLive<CostsDocument>(
    `/costs?by=${encodeURIComponent(by)}${since === '' ? '' : `&since=${encodeURIComponent(since)}`}`,
  );
  const days = useLive<CostsDocument>(`/costs?by=day,role&since=${since === '' ? '30d' : since}`);
  const { value: perDay } = days.value;
  return (
    <View title="Costs">
      <Today rows={perDay?.rows ?? []} />
      <div class="filters">
        <Choice
          of="by"
          label="Group by"
          options={[...costKinds.map((kind) => [kind, `By ${kind}`]), ['day,role', 'By day and role']]}
        />
        <Choice of="since" label="Period" options={periods} />
      </div>
      {perDay !== null && <CostDays costs={perDay} />}
      <Loaded live={live}>
        {(costs) =>
          costs.rows.length === 0 ? (
            <Empty>Nothing was spent{since === '' ? ' yet' : ' in this period'}.</Empty>
          ) : (
            <Rows costs={costs} />
          )
        }
      </Loaded>
    </View>
  );
}

/** What was spent today and by whom, and how much of the limit of a day that is. */
function Today({ rows }: Pick<CostsDocument, 'rows'>) {
  const cost = useLive<Overview>('/status', 'now').value.value?.cost;
  if (cost === undefined) return null;
  const { today, limit } = cost;
  const day = new Date(clock.value).toISOString().slice(0, 10);
  const ofToday = rows.filter(({ key }) => key.day === day);
  const tokens = (count: number) => `${count.toLocaleString('en')} tokens`;
  const limits = [
    ...(limit?.usd == null ? [] : [{ spent: today.usd, most: limit.usd, words: dollars(limit.usd) }]),
    ...(limit?.tokens == null
      ? []
      : [{ spent: today.tokens, most: limit.tokens, words: tokens(limit.tokens) }]),
  ];
  return (
    <Panel title="Today">
      <p>
        {paid(today) || 'Nothing was spent'}
        {today.usd > 0 && today.tokens > 0 && `, ${tokens(today.tokens)}`}
        {limits.length === 0 && <span class="dim"> · no limit is set</span>}
      </p>
      {ofToday.some(({ cost: own }) => money(own) !== '') && (
        <p>
          {ofToday
            .map(({ key, cost: own }) => `${oneLine(key.role ?? 'no role', 40)}: ${paid(own) || dollars(0)}`)
            .join(' · ')}
        </p>
      )}
      {limits.map(({ spent, most, words }) => (
        <p key={words} class="row">
          <meter
            min={0}
            max={most}
            high={most * 0.8}
            optimum={0}
            value={spent}
            aria-label={`Share of ${words}`}
          />
          {`${String(Math.floor((100 * spent) / most))} % of ${words} for a day in UTC`}
          <span class="dim">{spent >= most && ' · nothing new starts before the next day'}</span>
        </p>
      ))}
    </Panel>
  );
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

function shareOf({ usd, tokens }: Cost, { cost: all }: CostsDocument['total']): number {
  const [part, whole] = all.usd > 0 ? [usd, all.usd] : [tokens, all.tokens];
  return whole > 0 ? part / whole : 0;
}

function Rows({ costs }: { readonly costs: CostsDocument }) {
  const subjects = useSubjects(
    costs.rows.flatMap(({ key }) => key.thread ?? []),
    'now',
  );
  const hasShares = shareOf(costs.total.cost, costs.total) > 0;
  return (
    <Table
      caption="Costs"
      isStacked
      after={costs.total.cost.unpriced > 0 && <Unpriced of={costs.total} />}
      names={[
        ...costs.by.map((kind) => kind.charAt(0).toUpperCase() + kind.slice(1)),
        '#Launches',
        '#Tokens',
        '#Cost',
        ...(hasShares ? ['Share'] : []),
      ]}
    >
      <tbody>
        {costs.rows.map(({ key, launches, cost }, index) => (
          <tr key={JSON.stringify(key)}>
            {costs.by.map((kind, place) => (
              <th key={kind} scope="row">
                {/* Of a group, only the first row shows its name. */}
                <span
                  class={
                    place + 1 < costs.by.length && key[kind] === costs.rows[index - 1]?.key[kind]
                      ? 'unseen'
                      : ''
                  }
                >
                  <Named kind={kind} name={key[kind] ?? null} subjects={subjects} />
                </span>
              </th>
            ))}
            <Spent launches={launches} cost={cost} />
            {hasShares && (
              <td>
                <meter min={0} max={1} value={shareOf(cost, costs.total)} aria-label="Share of the total" />
              </td>
            )}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={costs.by.length}>
            Total
          </th>
          <Spent {...costs.total} />
          {hasShares && <td />}
        </tr>
      </tfoot>
    </Table>
  );
}

/** Why costs are missing, and what would report them. */
function Unpriced({ of: { launches, cost } }: { readonly of: CostsDocument['total'] }) {
  return (
    <p class="help">
      {`${String(cost.unpriced)} of ${String(launches)} launches reported no cost. A program reports its own by a last line of standard error: `}
      <code>{'usage: {"usd": 0.02, "tokens": 1200}'}</code>
    </p>
  );
}

interface NamedProps {
  readonly kind: CostKind;
  readonly name: string | null;
  /** Of threads, by their ids. */
  readonly subjects: ReadonlyMap<string, string>;
}

/** What has a view of its own. */
const viewed: readonly CostKind[] = ['role', 'thread', 'workflow', 'run'];

/** What costs are of, as the way to it. */
function Named({ kind, name, subjects }: NamedProps) {
  if (name === null) return <>{kind === 'thread' ? 'runs, and older threads' : '–'}</>;
  if (!viewed.includes(kind)) return <Line value={name} limit={80} />;
  return (
    <a href={link(`${kind}s`, name)} title={oneLine(name, 40)} data-row>
      <Line
        value={subjects.get(name) ?? (kind === 'run' || kind === 'thread' ? shortId(name) : name)}
        limit={80}
      />
    </a>
  );
}

function Spent({ launches, cost }: CostsDocument['total']) {
  return (
    <>
      <td class="number" data-name="Launches">
        {launches}
      </td>
      <td class="number" data-name="Tokens">
        {cost.tokens === 0 && cost.unpriced > 0 ? '–' : cost.tokens.toLocaleString('en')}
      </td>
      <td class="number" data-name="Cost">
        {paid(cost) || dollars(0)}
      </td>
    </>
  );
}
