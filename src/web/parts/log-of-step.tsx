import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogFile, LogFiles } from '../../documents/logs.ts';
import { at } from '../api/client.ts';
import { readLines } from '../api/logs.ts';
import { useLive } from '../state/live.ts';
import { query, refineAll } from '../state/route.ts';
import { saved } from '../state/saved.ts';
import { Log } from './log.tsx';
import { Empty, Loaded } from './panel.tsx';
import { visible } from './text.tsx';

interface Props {
  readonly run: string;
  /** Null: every step. */
  readonly step: string | null;
  readonly isLive: boolean;
  readonly hasFailed: boolean;
}

/**
 * What the processes of a step have printed: the last one is shown, and of its streams the one that
 * says what went wrong.
 */
export function StepLogs(props: Props) {
  const { run, step } = props;
  const stage = step === null ? '' : `?stage=${encodeURIComponent(step)}`;
  const live = useLive<LogFiles>(`${at('workflow-runs', run)}/logs/files${stage}`, 'now');
  return <Loaded live={live}>{({ files }) => <Chooser key={step} {...props} files={files} />}</Loaded>;
}

function Chooser({ run, step, isLive, hasFailed, files }: Props & Pick<LogFiles, 'files'>) {
  const asked = query.value.get('log');
  const last = files.at(-1);
  const ofLast = files.filter((file) => last !== undefined && isSameProcess(file, last));
  const best = useBest(run, ofLast, hasFailed && !isLive && asked === null);
  const chosen = files.find(({ name }) => name === asked) ?? best;
  if (last === undefined)
    return <Empty>{isLive ? 'Nothing was printed yet.' : 'Nothing was printed.'}</Empty>;
  if (chosen === null) return <p class="empty loading">Loading …</p>;
  const choose = (name: string) => {
    refineAll({ log: name, line: '' });
  };
  const processes = files.filter((file, index) => !files.slice(0, index).some((e) => isSameProcess(e, file)));
  const streams = files.filter((file) => isSameProcess(file, chosen));
  return (
    <>
      <div class="log-choice">
        {processes.length > 1 && (
          <select
            aria-label="Process"
            value={streams[0]?.name}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {processes.map((file) => (
              <option key={file.name} value={file.name}>
                {nameOf(file, files, step)}
              </option>
            ))}
          </select>
        )}
        <fieldset class="tabs">
          <legend>Stream</legend>
          {streams.map(({ name, stream, size }) => (
            <label key={name}>
              <input
                type="radio"
                name="log-stream"
                checked={name === chosen.name}
                onChange={() => choose(name)}
              />
              {stream === 'stdout' ? 'Output' : 'Errors'} <span class="dim">{sizeOf(size)}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <Log
        path={pathOf(run, chosen)}
        isLive={isLive && isSameProcess(chosen, last)}
        hasFailed={hasFailed}
        named={{ ...(step !== null && { step: step.replaceAll(/#\d+/g, '') }), log: chosen.name }}
      />
    </>
  );
}

function pathOf(run: string, { name }: LogFile): string {
  return `${at('workflow-runs', run)}/logs${at(name)}`;
}

function isSameProcess(a: LogFile, b: LogFile): boolean {
  return a.step === b.step && a.iteration === b.iteration && a.attempt === b.attempt && a.check === b.check;
}

/** `Attempt 2, check 1`; with its step where there are several. */
function nameOf(file: LogFile, files: readonly LogFile[], step: string | null): string {
  const { iteration, attempt, check } = file;
  const isOther = file.step !== step || files.some((each) => each.step !== file.step);
  return [
    isOther ? visible(file.step) : '',
    files.some((each) => each.iteration > 1) ? `round ${String(iteration)}` : '',
    `attempt ${String(attempt)}`,
    check === null ? '' : `check ${String(check)}`,
  ]
    .filter((each) => each !== '')
    .join(', ');
}

/** A size in words: `12 MB`. */
function sizeOf(bytes: number): string {
  const [value, unit] =
    bytes < 1000 ? [bytes, 'B'] : bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value < 10 && unit !== 'B' ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

/** Which of the streams of a process says best what went wrong; null: that is not known yet. */
function useBest(run: string, streams: readonly LogFile[], isWanted: boolean): LogFile | null {
  const printed = streams.filter(({ size }) => size > 0);
  const usual = printed.find(({ stream }) => stream === 'stdout') ?? printed[0] ?? streams[0] ?? null;
  const best = useSignal<string | null>(null);
  const paths = printed.map((file) => pathOf(run, file)).join(' ');
  const isOpen = isWanted && printed.length > 1;
  useEffect(() => {
    if (!isOpen) return;
    const weigh = async () => {
      const weights = await Promise.all(printed.map((file) => weightOf(pathOf(run, file), file.stream)));
      best.value = printed[weights.indexOf(Math.max(...weights))]?.name ?? null;
    };
    void weigh();
  }, [paths, isOpen]);
  if (!isOpen) return usual;
  return printed.find(({ name }) => name === best.value) ?? null;
}

/** Errors weigh more than output that says the same; what only hints at a failure weighs less. */
async function weightOf(path: string, stream: LogFile['stream']): Promise<number> {
  const failure =
    saved === null
      ? await readLines(path, 'failure', 1).then(
          (found) => found.failure,
          () => null,
        )
      : (saved.logs[path]?.failure ?? null);
  const weight = failure === null ? 0 : failure.certain ? 4 : 2;
  return weight + (stream === 'stderr' ? 1 : 0);
}
