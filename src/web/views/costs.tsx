import { oneLine } from '../../kernel/one-line.ts';
import { costKinds, money } from '../../kernel/cost.ts';
import { Empty, Loaded, Panel, Table, View } from '../parts/panel.tsx';
import { Line, paid, Price } from '../parts/text.tsx';
import { clock } from '../state/clock.ts';
import { useLive } from '../state/live.ts';
import { link, query, refine } from '../state/route.ts';
import { CostDays } from './cost-days.tsx';
import type { CostsDocument } from '../../documents/mail.ts';
import type { Overview } from '../../documents/status.ts';

const periods = [
  ['', 'All time'],
  ['1d', 'One day'],
  ['7d', 'Seven days'],
  ['30d', 'Thirty days'],
] as const;

/** What was paid, and for what. `more`: views that are reached from here. */
export function Costs({ more }: { readonly more: readonly (readonly [place: string, name: string])[] }) {
  const [by, since] = [query.value.get('by') ?? 'role', query.value.get('since') ?? ''];
  const live = useLive<CostsDocument>(
    `/costs?by=${encodeURIComponent(by)}${since === '' ? '' : `&since=${encodeURIComponent(since)}`}`,
  );
  const days = useLive<CostsDocument>(`/costs?by=day,role&since=${since === '' ? '30d' : since}`);
  const { value: perDay } = days.value;
  return (
    <View
      title="Costs"
      actions={more.map(([place, name]) => (
        <a key={place} class="button" href={link(place)}>
          {name}
        </a>
      ))}
    >
      <Today rows={perDay?.rows ?? []} />
      <div class="filters">
        <select
          aria-label="Group by"
          value={by}
          onChange={(event) => refine('by', event.currentTarget.value)}
        >
          {costKinds.map((kind) => (
            <option key={kind} value={kind}>
              By {kind}
            </option>
          ))}
          <option value="day,role">By day and role</option>
        </select>
        <select
          aria-label="Period"
          value={since}
          onChange={(event) => refine('since', event.currentTarget.value)}
        >
          {periods.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
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
  const hasFigures = today.usd > 0 || today.tokens > 0 || today.unpriced === 0;
  const limits = [
    ...(limit?.usd == null ? [] : [{ spent: today.usd, most: limit.usd, words: dollars(limit.usd) }]),
    ...(limit?.tokens == null
      ? []
      : [{ spent: today.tokens, most: limit.tokens, words: tokens(limit.tokens) }]),
  ];
  return (
    <Panel title="Today">
      <p>
        {hasFigures ? `${money(today) || dollars(0)}, ${tokens(today.tokens)}` : paid(today)}
        {limits.length === 0 && <span class="dim"> · no limit is set</span>}
      </p>
      {ofToday.length > 0 && (
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

function Rows({ costs }: { readonly costs: CostsDocument }) {
  const share = (cost: { usd: number; tokens: number }) => {
    const [part, whole] =
      costs.total.cost.usd > 0 ? [cost.usd, costs.total.cost.usd] : [cost.tokens, costs.total.cost.tokens];
    return whole > 0 ? part / whole : 0;
  };
  return (
    <Table
      caption="Costs"
      isStacked
      names={[
        ...costs.by.map((kind) => kind.charAt(0).toUpperCase() + kind.slice(1)),
        '#Launches',
        '#Tokens',
        '#Cost',
        'Share',
      ]}
    >
      <tbody>
        {costs.rows.map(({ key, launches, cost }) => (
          <tr key={JSON.stringify(key)}>
            {costs.by.map((kind) => (
              <th key={kind} scope="row">
                <Line value={key[kind] ?? '–'} limit={80} />
              </th>
            ))}
            <Spent launches={launches} cost={cost} />
            <td>
              {share(cost) > 0 && (
                <meter min={0} max={1} value={share(cost)} aria-label="Share of the total" />
              )}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={costs.by.length}>
            Total
          </th>
          <Spent {...costs.total} />
          <td />
        </tr>
      </tfoot>
    </Table>
  );
}

function Spent({ launches, cost }: CostsDocument['total']) {
  return (
    <>
      <td class="number" data-name="Launches">
        {launches}
      </td>
      <td class="number" data-name="Tokens">
        {cost.tokens === 0 && cost.unpriced > 0 ? 'not reported' : cost.tokens.toLocaleString('en')}
      </td>
      <td class="number" data-name="Cost">
        <Price cost={cost} />
      </td>
    </>
  );
}
