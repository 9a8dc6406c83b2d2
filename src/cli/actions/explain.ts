import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';
import { explanations, Manual, type Explanation } from '../manual.ts';
import { answer, type AsJson } from '../output.ts';

/** Prints what the documentation says of a code of an error or of `why`. */
export function explain({ call, terminal }: Context, code: string, options: AsJson): Promise<number> {
  const manual = new Manual(call.packageRoot);
  const known = ['errors', 'troubleshooting'].flatMap((name) => explanations(manual.page(name)));
  const found = known.find((each) => spelled(each.code) === spelled(code));
  if (found === undefined) {
    const near = didYouMean(
      code.toUpperCase(),
      known.map((each) => each.code).filter((each) => each.startsWith('E_')),
    );
    const hint = near ?? '`mailroom help errors` prints all codes';
    throw new MailroomError('E_TARGET', `there is no code \`${code}\``, hint);
  }
  return Promise.resolve(
    answer(terminal, options, { schema: 1, ...found }, () => lines(found, terminal.colours.bold)),
  );
}

function spelled(code: string): string {
  return code.toLowerCase().replaceAll('-', '_');
}

function lines({ code, meaning, remedy, page }: Explanation, bold: (text: string) => string): string[] {
  return [
    `${bold(code)}: ${meaning}`,
    ...(remedy === '–' ? [] : ['', `What to do: ${remedy}`]),
    '',
    `More: \`mailroom help ${page}\``,
  ];
}
