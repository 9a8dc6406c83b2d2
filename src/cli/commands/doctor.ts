import type { Command } from 'commander';
import type { DoctorOptions } from '../actions/doctor.ts';
import type { Context } from '../context.ts';

/** `doctor`: checks the installation and the project. */
export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('show which agent CLIs are installed, which sandboxing works, and what would fail')
    .option('--probe', 'ask each installed agent CLI one question: costs a few tokens')
    .option('--fix', 'first add what the project lacks: lines of .gitignore, schemas, folders')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom doctor')
    .action(
      context.act(async (options: DoctorOptions) =>
        (await import('../actions/doctor.ts')).doctor(context, options),
      ),
    );
}
