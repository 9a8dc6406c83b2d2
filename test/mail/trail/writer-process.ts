// Writes so many commits for a project, in a process of its own; exits with 0 when they are all there.
import process from 'node:process';
import { TrailWriter } from '../../../src/mail/trail/writer.ts';
import { GitRepository } from '../../../src/git/git-repository.ts';
import { conversation } from './conversation.ts';

const [project = '', branch = '', count = ''] = process.argv.slice(2);
const writer = new TrailWriter({ repository: new GitRepository({ project, branch }) });
for (const entry of conversation(Number(count))) {
  writer.record(entry);
  // Lets batches begin in between, as mail that comes one by one does.
  if (entry.seq % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
}
await writer.settled();
process.exitCode = (await writer.position()) === Number(count) ? 0 : 1;
