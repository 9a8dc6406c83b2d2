import { counted } from '../../kernel/enumerate.ts';
import { resolve } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { complainOf } from '../failures.ts';
import { json } from '../output.ts';
import { openWorkflow } from '../workflow-place.ts';
import { countedParts, defaultTimeoutNote } from '../format.ts';
import type { ValidateDocument } from '../../documents/workflows.ts';

interface ValidateOptions {
  readonly json?: boolean;
  readonly overrides?: readonly string[];
}

export async function runValidate(
  context: Context,
  names: readonly string[],
  options: ValidateOptions,
): Promise<number> {
  const { terminal, call } = context;
  const { workflows, root } = context.place();
  const { validate } = await import('../../project/definition/validate.ts');
  const named = names.length > 0 ? names : workflows.list();
  if (named.length === 0)
    throw new MailroomError(
      'E_TARGET',
      `there are no workflows in ${root}`,
      'give a file, or put one into workflows/',
    );
  const overrides = (options.overrides ?? []).map((file) => resolve(call.cwd, file));
  const read = [];
  for (const name of named)
    read.push(
      names.length > 0
        ? await openWorkflow(context, name, { overrides })
        : await workflows.read(name, root, { overrides }),
    );
  const { document, text, code } = validate(read);
  if (options.json === true) {
    terminal.write(json(document));
    return code;
  }
  complainOf(text, terminal);
  terminal.print(`${summary(document)}\n`);
  return code;
}

function summary({ ok, workflows, errors, warnings }: ValidateDocument): string {
  const found = countedParts([errors.length, 'error'], [warnings.length, 'warning']);
  if (!ok) return found.join(', ');
  const steps = workflows.reduce((sum, workflow) => sum + (workflow.steps ?? 0), 0);
  const untimed = workflows.flatMap(({ name, default_timeout: paths }) =>
    paths.map((path) => (workflows.length === 1 ? path : `${String(name)}: ${path}`)),
  );
  const counts = [`ok: ${counted(workflows.length, 'workflow')}`, counted(steps, 'step'), ...found];
  return counts.join(', ') + defaultTimeoutNote(untimed);
}
