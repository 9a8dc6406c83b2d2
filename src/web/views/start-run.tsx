import { useSignal } from '@preact/signals';
import { money } from '../../kernel/cost.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { span } from '../../kernel/times.ts';
import { planOf, startRun } from '../api/actions.ts';
import { Problem } from '../api/client.ts';
import { Fields, rethrowBeside, typedFields, type FieldShape } from '../parts/fields.tsx';
import { useAction, WriteButton } from '../parts/form.tsx';
import { Panel, Table, Trouble } from '../parts/panel.tsx';
import { Facts, visible } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { clearDrafts, draft } from '../state/drafts.ts';
import { go, link } from '../state/route.ts';
import { complain, notify } from '../state/toasts.ts';
import { onSubmit } from './item.tsx';
import type { PlanDocument, WorkflowRow } from '../../documents/workflows.ts';

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

/** What a run of a workflow would do, and what that was planned of; null: not planned yet. */
function usePlan({ id, parameters, edited }: StartProps, place: string) {
  const planned = useSignal<{ readonly plan: PlanDocument; readonly of: string } | null>(null);
  const planning = useAction();
  const text = edited?.text ?? null;
  const preview = () => {
    const given = typedFields(parameters, place);
    if (given === null) return;
    void planning.run(async () => {
      const plan = await planOf(id, given, edited?.isDirty === true ? text : null).catch((error: unknown) =>
        rethrowBeside(error, parameters, place),
      );
      planned.value = { plan, of: JSON.stringify([given, text]) };
    });
  };
  const isPlanned = (given: unknown) => JSON.stringify([given, text]) === planned.value?.of;
  return { plan: planned.value?.plan ?? null, isBusy: planning.busy.value, preview, isPlanned };
}

/** Starts a run as it was planned, and stores what was edited before. */
function useStart(
  { id, parameters, edited }: StartProps,
  place: string,
  { plan, preview, isPlanned }: ReturnType<typeof usePlan>,
) {
  const starting = useAction();
  const refused = useSignal<Problem | null>(null);
  const start = () => {
    const given = typedFields(parameters, place);
    if (given === null || plan === null) return;
    if (!isPlanned(given)) {
      notify('What runs has changed: see the new price first.');
      return preview();
    }
    const usd = usdOf(draft(`${place}:usd`).value);
    if (usd === undefined)
      return complain(new Problem('E_VALUE', 422, 'The limit must be dollars, such as 2.50.'));
    refused.value = null;
    void starting.run(async () => {
      if (edited?.isDirty === true && !(await edited.save())) return;
      const started = await startRun(id, given, usd).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.code !== 'E_LOCKED')
          return rethrowBeside(error, parameters, place);
        refused.value = error;
        return null;
      });
      if (started === null) return;
      clearDrafts(`${place}:`);
      notify('The run has started.');
      go(link('runs', started.run));
    });
  };
  return { start, refused: refused.value, isBusy: starting.busy.value };
}

/** The parameters of a workflow, then what a run would do and cost at most, then its start. */
export function StartRun(props: StartProps) {
  const { id, parameters, edited } = props;
  const place = `run-${id}`;
  const planning = usePlan(props, place);
  const starting = useStart(props, place, planning);
  const { plan } = planning;
  return (
    <>
      <form class="panel" {...onSubmit(planning.preview)}>
        <Fields shapes={parameters} place={place} />
        <button type="submit" class={plan === null ? 'primary' : ''} aria-busy={planning.isBusy}>
          {plan === null ? 'Show the price' : 'Update the price'}
        </button>
      </form>
      {plan !== null && (
        <>
          <PlanPanel plan={plan} />
          <LimitForm
            id={id}
            place={place}
            refused={starting.refused}
            price={priceOf(plan)}
            busy={starting.isBusy}
            start={starting.start}
            verb={edited?.isDirty === true ? 'Save and run it' : 'Run it'}
          />
        </>
      )}
    </>
  );
}

interface LimitProps {
  readonly id: string;
  readonly place: string;
  readonly price: string;
  readonly busy: boolean;
  readonly verb: string;
  /** The last start was refused because of another run; null: it was not. */
  readonly refused: Problem | null;
  readonly start: () => void;
}

/** Starts the run that was planned, with a limit of its own if the person sets one. */
function LimitForm({ id, place, price, busy, verb, refused, start }: LimitProps) {
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
      <WriteButton busy={busy}>{busy ? 'Starting …' : `${verb}, for at most ${price}`}</WriteButton>
      {refused !== null && <InTheWay id={id} problem={refused} />}
    </form>
  );
}

/** Why a run cannot start beside another one, with the way to that. */
function InTheWay({ id, problem }: { readonly id: string; readonly problem: Problem }) {
  const rows = useLive<readonly WorkflowRow[]>('/workflows').value.value;
  const last = rows?.find(({ name, file }) => name === id || file === id)?.last_run ?? null;
  return (
    <>
      <Trouble problem={problem} />
      {last?.alive === true ? (
        <a href={link('runs', last.run)}>Go to the run in the way</a>
      ) : (
        <a href={link('runs')}>Go to the runs</a>
      )}
    </>
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

/** How many steps a sentence names. */
const mostNamed = 3;

/**
 * Why amounts have no bound, in a sentence for each reason. What a limit of the whole bounds is not
 * named.
 */
function unboundedIn(ceiling: PlanDocument['ceiling']): string[] {
  const steps = new Map<string, string[]>();
  for (const { step, what, why } of ceiling.unbounded) {
    if (ceiling[what] !== null) continue;
    const reason = `${what} without a bound: ${why}`;
    const known = steps.get(reason);
    if (known === undefined) steps.set(reason, [step]);
    else known.push(step);
  }
  return [...steps].map(([reason, [...names]]) => {
    const more = names.length - mostNamed;
    const named = names.slice(0, mostNamed).join(', ');
    return `${named}${more > 0 ? ` and ${String(more)} more` : ''}: ${reason}.`;
  });
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
          ['Running time', orUnknown(ceiling.time, (time) => `at most ${span(time)}`)],
          ['Tokens', orUnknown(ceiling.tokens, String)],
          [
            'Expected',
            expected.usd === null ? null : money({ usd: expected.usd, tokens: expected.tokens, unpriced: 0 }),
          ],
        ]}
      />
      {unboundedIn(ceiling).map((each) => (
        <p key={each} class="dim">
          {visible(each)}
        </p>
      ))}
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
