import { openCapture, type Capture } from '../output/capture.ts';
import { maskerFactory } from '../output/mask.ts';
import { describeSpawnError, whyNotStart, type Refusal } from '../refusal.ts';
import { Supervision } from './supervision.ts';
import type { ProcessResult, ProcessSpec, Supervised, SuperviseHooks } from '../types.ts';

const none = { head: 0, tail: 0 };

/**
 * Starts a process and supervises it until it and all its descendants have ended. Never throws:
 * errors are in the result.
 */
export function supervise(spec: ProcessSpec, hooks: SuperviseHooks = {}): Supervised {
  // If the system starts the program directly, it reports failures soon enough.
  const isDirect = spec.containment.kind === 'group' && !spec.launchBarrier && (spec.argv[0] ?? '') !== '';
  const refusal = isDirect ? null : whyNotStart(spec.argv, spec);
  if (refusal !== null) return refused(refusal);
  const captures: Capture[] = [];
  try {
    const masker = maskerFactory(spec.secrets);
    const { head, tail } = spec.keeps ?? none;
    const outputs = [
      [spec.stdoutFile, spec.keeps ?? none],
      [spec.stderrFile, { head, tail }],
    ] as const;
    for (const [file, ends] of outputs)
      captures.push(openCapture(file, spec.limits.outputBytes, masker(), ends));
    const supervision = new Supervision(spec, hooks, captures);
    return {
      get ready() {
        return supervision.ready;
      },
      exited: supervision.exited,
      release: () => supervision.release(),
      stop: () => supervision.end('stopped'),
    };
  } catch (error) {
    for (const capture of captures) capture.close();
    return refused({ exitCode: null, error: describeSpawnError(error) });
  }
}

function refused({ exitCode, error }: Refusal): Supervised {
  const result: ProcessResult = {
    exitCode,
    signal: null,
    reason: 'spawn-failed',
    error,
    stdoutTail: '',
    stderrTail: '',
    stdout: '',
    stderr: '',
    startedAt: null,
    durationMs: 0,
    survivors: [],
  };
  return { ready: Promise.resolve(null), exited: Promise.resolve(result), release() {}, stop() {} };
}
