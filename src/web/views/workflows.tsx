import { useSignal } from '@preact/signals';
import { money } from '../../kernel/cost.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { span } from '../../kernel/times.ts';
import type { PlanDocument } from '../../operations/runs/plan.ts';
import { planOf, startRun } from '../api/actions.ts';
import { at, Problem } from '../api/client.ts';
import type { WorkflowDocument, WorkflowRow } from '../api/documents.ts';
import { NewWorkflow } from '../composer/opening.tsx';
import { Fields, rethrowBeside, typedFields } from '../parts/fields.tsx';
import { useAction, WriteButton } from '../parts/form.tsx';
import { Empty, Loaded, Panel, Table, View } from '../parts/panel.tsx';
import { Facts, Line, State, Text, visible } from '../parts/text.tsx';
import { clearDrafts, draft } from '../state/drafts.ts';
import { useLive } from '../state/live.ts';
import { go, link } from '../state/route.ts';
import { complain, notify } from '../state/toasts.ts';
import { onSubmit } from './item.tsx';
import { StepGraph, type GraphStep } from './step-graph.tsx';

/** The workflows of the project, the unreadable ones with their problem. */
export function Workflows() {
  const live = useLive<readonly WorkflowRow[]>('/workflows');
  return (
    <View title="Workflows" actions={<NewWorkflow />}>
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? <Empty>There are no workflows in workflows/.</Empty> : <Rows rows={rows} />
        }
      </Loaded>
    </View>
  );
}

function Rows({ rows }: { readonly rows: readonly WorkflowRow[] }) {
  return (
    <Table caption="Workflows of the project" names={['Name', 'About', '#Steps', 'Language', 'File']}>
      <tbody>
        {rows.map((row) => (
          <tr key={row.file}>
            <th scope="row">
              <a href={link('workflows', row.name ?? row.file)} data-row>
                <Line value={row.name ?? row.file} limit={60} />
              </a>{' '}
              {!row.ok && <State value="error" />}
            </th>
            <td>{row.description !== null && <Line value={row.description} limit={160} />}</td>
            <td class="number">{row.steps}</td>
            <td>{row.language}</td>
            <td>
              <code>{visible(row.file)}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** One workflow: its parameters, what a run would do and cost at most, and its start. */
export function Workflow({ id }: { readonly id: string }) {
  const live = useLive<WorkflowDocument>(at('workflows', id));
  return (
    <View
      title={<Line value={id} limit={80} />}
      actions={
        <>
          <a class="button" href={link('workflows', id, 'edit')}>
            Edit
          </a>
          <a class="button" href={`${link('runs')}?workflow=${encodeURIComponent(id)}`}>
            Its runs
          </a>
        </>
      }
    >
      <Loaded live={live}>
        {(workflow) => (
          <>
            <Diagnostics workflow={workflow} />
            {workflow.ok && <Start id={id} workflow={workflow} />}
            <details>
              <summary>
                The file <code>{visible(workflow.file)}</code>
              </summary>
              <Text value={workflow.text} kind="code" />
            </details>
          </>
        )}
      </Loaded>
    </View>
  );
}

function Diagnostics({ workflow }: { readonly workflow: WorkflowDocument }) {
  const all = [
    ...workflow.errors.map((each) => ['error', each] as const),
    ...workflow.warnings.map((each) => ['warning', each] as const),
  ];
  if (all.length === 0) return null;
  return (
    <ul class="problems">
      {all.map(([kind, { code, message, line, hint }], index) => (
        <li key={index}>
          <State value={kind} /> <code>{code}</code> {line !== null && `line ${String(line)}: `}
          {visible(message)} {hint !== null && <span class="dim">{visible(hint)}</span>}
        </li>
      ))}
    </ul>
  );
}

function Start({ id, workflow }: { readonly id: string; readonly workflow: WorkflowDocument }) {
  const place = `run-${id}`;
  const planned = useSignal<{ readonly plan: PlanDocument; readonly of: string } | null>(null);
  const planning = useAction();
  const starting = useAction();
  const { parameters } = workflow;
  const preview = () => {
    const given = typedFields(parameters, place);
    if (given === null) return;
    void planning.run(async () => {
      const plan = await planOf(id, given).catch((error: unknown) => rethrowBeside(error, parameters, place));
      planned.value = { plan, of: JSON.stringify(given) };
    });
  };
  const start = () => {
    const given = typedFields(parameters, place);
    if (given === null || planned.value === null) return;
    if (JSON.stringify(given) !== planned.value.of) {
      notify('The parameters have changed: see the new price first.');
      return preview();
    }
    const usd = usdOf(draft(`${place}:usd`).value);
    if (usd === undefined)
      return complain(new Problem('E_VALUE', 422, 'The limit must be dollars, such as 2.50.'));
    void starting.run(async () => {
      const { run } = await startRun(id, given, usd).catch((error: unknown) =>
        rethrowBeside(error, parameters, place),
      );
      clearDrafts(`${place}:`);
      notify('The run has started.');
      go(link('runs', run));
    });
  };
  return (
    <>
      <form class="panel" {...onSubmit(preview)}>
        <Fields shapes={parameters} place={place} />
        <button type="submit" class={planned.value === null ? 'primary' : ''} aria-busy={planning.busy.value}>
          {planned.value === null ? 'Show the price' : 'Update the price'}
        </button>
      </form>
      {planned.value !== null && (
        <>
          <PlanPanel plan={planned.value.plan} />
          <LimitForm
            place={place}
            price={priceOf(planned.value.plan)}
            busy={starting.busy.value}
            start={start}
          />
        </>
      )}
    </>
  );
}

interface LimitProps {
  readonly place: string;
  readonly price: string;
  readonly busy: boolean;
  readonly start: () => void;
}

/** Starts the run that was planned, with a limit of its own if the person sets one. */
function LimitForm({ place, price, busy, start }: LimitProps) {
  const limit = draft(`${place}:usd`);
  return (
    <form class="panel" {...onSubmit(start)}>
      <div class="field">
        <label for={`${place}-usd`}>Stop at this cost, in dollars</label>
        <input
          id={`${place}-usd`}
          class="short"
          inputMode="decimal"
          autocomplete="off"
          value={limit.value}
          onInput={(event) => (limit.value = event.currentTarget.value)}
        />
        <p class="help">Empty: the limit of the workflow, if it has one.</p>
      </div>
      <WriteButton busy={busy}>Run it, for at most {price}</WriteButton>
    </form>
  );
}

/** A limit in dollars; null: none, undefined: not an amount. */
function usdOf(text: string): number | null | undefined {
  const trimmed = text.trim().replace(/^\$/, '');
  if (trimmed === '') return null;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** The worst case in one phrase. */
function priceOf({ ceiling }: PlanDocument): string {
  const { usd, tokens, launches } = ceiling;
  if (launches === 0) return 'nothing: it starts no agent';
  if (usd !== null) return money({ usd, tokens: tokens ?? 0, unpriced: 0 }) || '$0.00';
  return tokens === null ? 'an unknown price' : `${String(tokens)} tokens`;
}

const shapes: Readonly<Record<string, GraphStep['shape']>> = {
  GATE: 'gate',
  FOR_EACH: 'body',
  WHILE: 'body',
  WORKFLOW: 'body',
};

function drawn({ step, kind, provider, role }: PlanDocument['contracts'][number]): GraphStep {
  const shape = shapes[kind] ?? 'step';
  const about = provider ?? role ?? kind.toLowerCase().replaceAll('_', ' ');
  return { id: step, about, tone: shape === 'gate' ? 'wait' : 'calm', shape, href: null };
}

function PlanPanel({ plan }: { readonly plan: PlanDocument }) {
  const { ceiling, expected, contracts, batches, assumptions } = plan;
  const orUnknown = (value: number | null, words: (value: number) => string) =>
    value === null ? 'unbounded' : words(value);
  return (
    <Panel title="What a run would do">
      <Facts
        of={[
          ['At most', priceOf(plan)],
          ['Agent launches', orUnknown(ceiling.launches, String)],
          ['Other processes', orUnknown(ceiling.processes, String)],
          ['Running time', orUnknown(ceiling.time, span)],
          ['Tokens', orUnknown(ceiling.tokens, String)],
          [
            'Expected',
            expected.usd === null ? null : money({ usd: expected.usd, tokens: expected.tokens, unpriced: 0 }),
          ],
        ]}
      />
      {ceiling.unbounded.map((each) => (
        <p key={`${each.step}${each.what}`} class="dim">
          {`${visible(each.step)}: the ${each.what} is unbounded, because ${visible(each.why)}.`}
        </p>
      ))}
      <StepGraph
        steps={contracts.filter(({ step }) => !step.includes('/')).map(drawn)}
        edges={contracts.flatMap(({ step, needs }) =>
          needs.map((need) => ({ from: need, to: step, label: '' })),
        )}
      />
      <Table
        caption="Steps, by the time at which they can start"
        names={['#Batch', 'Step', 'Kind', 'Needs', '#Attempts', 'Capabilities']}
      >
        <tbody>
          {contracts.map((contract) => (
            <tr key={contract.step}>
              <td class="number">{batches.find(({ steps }) => steps.includes(contract.step))?.number}</td>
              <th scope="row">{oneLine(contract.step, 80)}</th>
              <td>{contract.provider ?? contract.role ?? contract.kind.toLowerCase()}</td>
              <td>{oneLine(contract.needs.join(', '), 120)}</td>
              <td class="number">{contract.attempts}</td>
              <td>{contract.capabilities.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      <p class="dim">{assumptions.map(visible).join('; ')}.</p>
    </Panel>
  );
}
