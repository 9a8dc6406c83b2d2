import { ownValue } from '../../kernel/own.ts';
import { page } from '../../process/pager.ts';
import type { Context } from '../context.ts';
import { Manual } from '../manual.ts';
import { habits } from '../usage.ts';

/** Prints the help of the program or of a command, else a page of the documentation. */
export async function help(context: Context, topic: string | null): Promise<number> {
  const { program, terminal, call } = context;
  const command = topic === null ? program : program.commands.find((one) => one.name() === topic);
  if (command !== undefined) {
    command.outputHelp();
    return 0;
  }
  const manual = new Manual(call.packageRoot);
  if (topic === 'topics') {
    const names = manual.names();
    const widest = Math.max(...names.map(({ length }) => length));
    terminal.print(names.map((name) => `${name.padEnd(widest)}  ${manual.title(name)}\n`).join(''));
    return 0;
  }
  const names = program.commands.map((one) => one.name());
  const word = topic ?? '';
  const habit = ownValue(habits, word);
  const text = habit === undefined ? manual.about(word, names) : `${habit}\n`;
  if (!terminal.interactive) {
    terminal.write(text);
    return 0;
  }
  const { PAGER = '' } = call.environment;
  for (const pager of PAGER.trim() === '' ? ['less'] : [PAGER, 'less'])
    if (await page(pager, text, call.environment)) return 0;
  terminal.print(text);
  return 0;
}
