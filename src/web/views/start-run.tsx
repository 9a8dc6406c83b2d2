import { useSignal } from '@preact/signals';
import { money } from '../../kernel/cost.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { span } from '../../kernel/times.ts';
import { planOf, startRun } from '../api/actions.ts';
import { Problem } from '../api/client.ts';
import { Fields, rethrowBeside, typedFields, type FieldShape } from '../parts/fields.tsx';
import { useAction, WriteButton } from '../parts/form.tsx';
import { Panel, Table } from '../parts/panel.tsx';
import { Facts, visible } from '../parts/text.tsx';
import { clearDrafts, draft } from '../state/drafts.ts';
import { go, link } from '../state/route.ts';
import { complain, notify } from '../state/toasts.ts';
import { onSubmit } from './item.tsx';
import { StepGraph, type GraphStep } from './step-graph.tsx';
import type { PlanDocument } from '../../documents/workflows.ts';

/** The text of the workflow in an editor. */
interface Edited {
  readonly text: string;
  /** It is not what is stored. */
  readonly isDirty: boolean;
  /** False: the text could not be stored. */
  save(): Promise<boolean>;
}

interface StartProps {
  readonly id: string;
  readonly parameters: Readonly<Record<string, FieldShape>>;
  /** What is planned, and stored before it runs; absent while it is not edited. */
  readonly edited?: Edited;
}

/** The parameters of a workflow, then what a run would do and cost at most, then its start. */
export function StartRun({ id, parameters, edited }: StartProps) {
  const place = `run-${id}`;
  const planned = useSignal<{ readonly plan: PlanDocument; readonly of: string } | null>(null);
  const planning = useAction();
  const starting = useAction();
  const isDirty = edited?.isDirty ?? false;
  const text = edited?.text ?? null;
  const preview = () => {
    const given = typedFields(parameters, place);
    if (given === null) return;
    void planning.run(async () => {
      const plan = await planOf(id, given, isDirty ? text : null).catch((error: unknown) =>
        rethrowBeside(error, parameters, place),
      );
      planned.value = { plan, of: JSON.stringify([given, text]) };
    });
  };
  const start = () => {
    const given = typedFields(parameters, place);
    if (given === null || planned.value === null) return;
    if (JSON.stringify([given, text]) !== planned.value.of) {
      notify('What runs has changed: see the new price first.');
      return preview();
    }
    const usd = usdOf(draft(`${place}:usd`).value);
    if (usd === undefined)
      return complain(new Problem('E_VALUE', 422, 'The limit must be dollars, such as 2.50.'));
    void starting.run(async () => {
      if (isDirty && !(await edited?.save())) return;
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
            verb={isDirty ? 'Save and run it' : 'Run it'}
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
  readonly verb: string;
  readonly start: () => void;
}

/** Starts the run that was planned, with a limit of its own if the person sets one. */
function LimitForm({ place, price, busy, verb, start }: LimitProps) {
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
      <WriteButton busy={busy}>
        {verb}, for at most {price}
      </WriteButton>
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
