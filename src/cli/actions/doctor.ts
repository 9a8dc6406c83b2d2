import type { Context } from '../context.ts';
import { line, printable, wroteLines } from '../format.ts';
import { answer } from '../output.ts';
import type { Finding } from '../../kernel/finding.ts';
import type { Colours } from '../terminal.ts';

interface DoctorOptions {
  readonly probe?: boolean;
  readonly fix?: boolean;
  readonly json?: boolean;
}

/** Exit code 1 if a check fails. */
export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  const { call, terminal } = context;
  const project = context.root();
  if (options.fix === true) context.announce();
  const fixed = options.fix === true && project !== null ? await call.complete(project) : [];
  const findings = await call.doctor(project, { probes: options.probe === true });
  const ok = findings.every(({ state }) => state !== 'problem');
  answer(terminal, options, { schema: 1, ok, fixed, findings }, () => [
    ...wroteLines(fixed, terminal.colours),
    ...findingLines(findings, terminal.colours),
  ]);
  return ok ? 0 : 1;
}

const marks: Readonly<Record<Finding['state'], string>> = { ok: '✓', info: '·', warning: '!', problem: '✗' };

function findingLines(findings: readonly Finding[], colours: Colours): string[] {
  const width = Math.max(0, ...findings.map(({ topic }) => topic.length));
  const paint = { ok: colours.green, info: colours.dim, warning: colours.yellow, problem: colours.red };
  return findings.map(({ topic, state, text }) => {
    const [first = '', ...rest] = printable(text).split('\n');
    const more = rest.map((each) => `\n${' '.repeat(width + 4)}${each}`).join('');
    return `${paint[state](marks[state])} ${line(topic).padEnd(width)}  ${first}${more}`;
  });
}
