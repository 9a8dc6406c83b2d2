// Does the tasks of protocols/tasks.yaml without a language model: it counts, shortens and reports.
// It is also an example of a worker for workflows of the language nip: the task comes as a message
// with its input as JSON, what is printed is the result, and `usage:` on standard error says what
// it has cost.
import { readFileSync } from 'node:fs';

const { MAILROOM_ROLE: me, MAILROOM_MESSAGES: paths = '' } = process.env;
const message = readFileSync(paths.split('\n')[0], 'utf8');
const input = JSON.parse(/^```json\n(.*?)\n^```$/ms.exec(message)[1]);

/** What each role of protocols/tasks.yaml makes of its input. */
const tasks = {
  counter: ({ text }) => {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    return JSON.stringify({ words, long: words > 12 });
  },
  shortener: ({ text, keep }) => `${text.split(/\s+/).slice(0, keep).join(' ')} …`,
  reporter: ({ words, short, text }) => `${words} words: ${short ?? text}`,
};

process.stderr.write('usage: {"usd": 0.001, "tokens": 100}\n');
process.stdout.write(`${tasks[me](input)}\n`);
