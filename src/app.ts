import metadata from '../package.json' with { type: 'json' };

/** Runs the program with the arguments that follow its name and resolves to its exit code. */
export async function main(_argv: readonly string[]): Promise<number> {
  process.stdout.write(`${metadata.name} ${metadata.version}\n`);
  return 0;
}
