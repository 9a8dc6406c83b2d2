// Plays architect, engineer and qa without a language model, so that you can try a project before
// you install an agent program. Its work is real: it reads its mail, changes files and runs tests.
// It can add a missing function to a calculator; for any other task it only writes a note in
// notes/.
//
// It is also an example of a program as a provider. Mailroom gives it the prompt on standard input
// (which this program does not need), the messages in MAILROOM_MESSAGES (one path per line) and a
// folder for its answers in MAILROOM_OUTBOX. It runs in the workspace. Exit code 0 means done, 1
// "try again later", 2 "never".
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { MAILROOM_ROLE: me = '', MAILROOM_MESSAGES: paths = '', MAILROOM_OUTBOX: outbox = '' } = process.env;
const source = 'src/calculator.mjs';
const tests = 'test/calculator.test.mjs';
const note = `notes/${process.env.MAILROOM_THREAD ?? 'task'}.md`;

/**
 * What each role does with each type of message. A `step` comes from a run of a workflow: standard
 * output is its result.
 */
const duties = {
  architect: { task: design, step: design, question: answer },
  engineer: { design: build, step: build, 'review-feedback': rework, answer: rework },
  qa: { 'review-request': review },
};

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const quote = (text) => text.trim().replace(/^/gm, '> ');

/** A message: the keys of its front matter and of its `fields`, and its body. */
function parseMessage(text) {
  const [, head = '', body = text] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  const pairs = [...head.matchAll(/^ *(\w+): (.*)$/gm)];
  const plain = (value) => (value.startsWith('"') ? JSON.parse(value) : value);
  return { ...Object.fromEntries(pairs.map(([, key, value]) => [key, plain(value)])), body };
}

/**
 * Sends a message: writes a file in the outbox. Mailroom adds the author, the time and the thread.
 */
function send(type, to, subject, body, fields = {}) {
  const head = [`type: ${type}`, `to: ${to}`, `subject: ${JSON.stringify(subject)}`];
  const entries = Object.entries(fields).map(([key, value]) => `  ${key}: ${value}`);
  if (entries.length > 0) head.push('fields:', ...entries);
  writeFileSync(join(outbox, `${type}.md`), `---\n${head.join('\n')}\n---\n${body.trim()}\n`);
  process.stdout.write(`${type} to ${to}: ${subject}\n`);
}

function runTests() {
  const { status, stdout } = spawnSync('npm', ['test', '--', '--test-reporter=tap'], { encoding: 'utf8' });
  const failures = [...stdout.matchAll(/^not ok \d+ - .*$/gm)].map(([line]) => `- ${line}`);
  if (status === 0) return { passed: true, result: '`npm test` passes.' };
  return { passed: false, result: ['`npm test` fails:', ...failures].join('\n') };
}

/**
 * The function that a message is about: the first `name(a, b)` in it; null: it is about the note.
 */
function functionIn({ body }) {
  return /\b(\w+)\(a, b\)/.exec(body)?.[1] ?? null;
}

// --------------------------------------------------------------------------------------- architect

/** Compares what the tests call with what the module has. */
function design(task) {
  const called = [...read(tests).matchAll(/\bcalculator\.(\w+)\(/g)].map(([, name]) => name);
  const missing = called.find((name) => !read(source).includes(`function ${name}(`));
  if (missing === undefined) {
    const plan = `The task:\n\n${quote(task.body)}\n\nDescribe in ${note} how you will do it.`;
    return send('design', 'engineer', `Design: ${task.subject}`, plan);
  }
  const rules = /\/\*\*(.*?)\*\//s.exec(read(source))?.[1].replace(/^ *\* ?/gm, '') ?? '';
  const plan = [
    `${tests} calls \`${missing}\`, which ${source} does not have. Add \`${missing}(a, b)\` there, next to the others.`,
    `It must follow the rules for all functions of the module:\n\n${quote(rules)}`,
    'It is done when `npm test` passes. Do not change the existing tests.',
  ];
  return send('design', 'engineer', `Design: ${missing}`, plan.join('\n\n'));
}

function answer(question) {
  const text = `I am a rehearsal script and cannot answer questions. You asked:\n\n${quote(question.body)}`;
  return send('answer', question.from, `Answer: ${question.subject}`, text);
}

// ---------------------------------------------------------------------------------------- engineer

const operators = { add: '+', subtract: '-', multiply: '*', divide: '/', power: '**' };

/** Adds the function, but misses a rule of the design, for the review to find. */
function build(plan) {
  const name = functionIn(plan);
  if (!existsSync(source) || name === null || !(name in operators)) return writeNote(plan);
  if (!read(source).includes(`function ${name}(`)) {
    const code = `export function ${name}(a, b) {\n  return a ${operators[name]} b;\n}`;
    appendFileSync(source, `\n/** Returns what the name says. */\n${code}\n`);
  }
  const text = `\`${name}(a, b)\` is in ${source}. ${runTests().result}`;
  return send('review-request', 'qa', `Review of ${name}`, text);
}

function writeNote(plan) {
  mkdirSync('notes', { recursive: true });
  writeFileSync(note, `# ${plan.subject}\n\n${plan.body.trim()}\n`);
  return send('review-request', 'qa', 'Review of the note', `${note} describes the work.`);
}

/** Fixes what the review found. */
function rework(feedback) {
  const newest = [...read(source).matchAll(/^export function (\w+)/gm)].at(-1)?.[1] ?? null;
  const name = functionIn(feedback) ?? (existsSync(note) ? null : newest);
  const careless = name !== null && `  return a ${operators[name]} b;`;
  if (careless && read(source).includes(careless)) {
    const careful = `  return checked(a) ${operators[name]} checked(b);`;
    writeFileSync(source, read(source).replace(careless, careful));
    const lines = [`test('${name} accepts only finite numbers', () => {`];
    for (const args of suspects)
      lines.push(`  assert.throws(() => calculator.${name}(${show(args)}), TypeError);`);
    appendFileSync(tests, `\n${lines.join('\n')}\n});\n`);
    const text = `\`${name}(a, b)\` now checks both numbers, and a test covers that. ${runTests().result}`;
    return send('review-request', 'qa', `Second review of ${name}`, text);
  }
  if (name === null && existsSync(note) && !read(note).includes(checkHeading)) {
    appendFileSync(note, `\n${checkHeading}\n\nBy reading it again.\n`);
    return send('review-request', 'qa', 'Second review of the note', `${note} now says how it was checked.`);
  }
  const text = `I am a rehearsal script and cannot fix what the review found:\n\n${quote(feedback.body)}`;
  return send('question', 'user', 'What is to be done?', text);
}

// ---------------------------------------------------------------------------------------------- qa

/** Arguments that are not two finite numbers. */
const suspects = [
  ['7', 2],
  [1, NaN],
  [3, undefined],
];
const show = (args) =>
  args.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(', ');
const checkHeading = '## How it was checked';

/** Reads the work, runs the tests, then tries what they do not cover. */
async function review(request) {
  const name = functionIn(request);
  const { about, did, faults } = name === null ? lookAtNote() : await lookAtCode(name);
  if (faults.length === 0)
    return send(
      'delivered',
      'user',
      `Delivered: ${name ?? 'the note'}`,
      `${about} is done. ${did} I found nothing wrong.`,
    );
  const list = faults.map((fault) => `- ${fault}`).join('\n');
  const text = `I looked at ${about}. ${did}\n\n${list}`;
  return send('review-feedback', 'engineer', `${request.subject}: changes requested`, text, {
    verdict: 'changes_requested',
  });
}

function lookAtNote() {
  const complete = read(note).includes(checkHeading);
  const faults = complete ? [] : ['It does not say how it was checked.'];
  return { about: note, did: 'I read all of it.', faults };
}

async function lookAtCode(name) {
  const { passed, result } = runTests();
  const faults = passed ? await faultsOf(name) : ['It is not finished while they fail.'];
  return {
    about: `\`${name}(a, b)\``,
    did: `${result} I also called it with values that are not numbers.`,
    faults,
  };
}

/** Calls the function with arguments that its tests do not use, and compares it with `add`. */
async function faultsOf(name) {
  const calculator = await import(pathToFileURL(resolve(source)).href);
  const result = (call, args) => {
    try {
      return `returns ${call(...args)}`;
    } catch (error) {
      return `throws a ${error.name}`;
    }
  };
  return suspects.flatMap((args) => {
    const [mine, theirs] = [result(calculator[name], args), result(calculator.add, args)];
    if (mine === theirs) return [];
    return [`\`${name}(${show(args)})\` ${mine}, but \`add(${show(args)})\` ${theirs}.`];
  });
}

// -------------------------------------------------------------------------------------------- step

const samples = {
  string: (name) => `a rehearsed ${name}`,
  boolean: () => true,
  number: () => 1,
  integer: () => 1,
  array: () => [],
  object: () => ({}),
};

/** In a step of a workflow: writes a sample of each value that the prompt asks for. */
function rehearse(file) {
  const owed = readFileSync(0, 'utf8')
    .split(/^## Values\n/m)
    .at(-1);
  const values = [...owed.matchAll(/^- `(.+?)`: (\w+)/gm)].map(([, name, type]) => [
    name,
    samples[type]?.(name),
  ]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(values)));
  process.stdout.write('it was a rehearsal\n');
}

// -------------------------------------------------------------------------------------------- turn

const messages = paths.split('\n').filter(Boolean).map(read).map(parseMessage);
const known = messages.find(({ type }) => duties[me]?.[type] !== undefined);
if (process.env.MAILROOM_STEP !== undefined && paths === '') {
  rehearse(process.env.MAILROOM_VALUES);
} else if (duties[me] === undefined) {
  process.stderr.write(
    `rehearsal.mjs plays ${Object.keys(duties).join(', ')}, not ${me}: give it another provider\n`,
  );
  process.exitCode = 2;
} else if (known === undefined) {
  process.stdout.write('nothing to send\n');
} else {
  await duties[me][known.type](known);
}
// The last line on standard error may report the cost of the turn.
process.stderr.write('usage: {"usd": 0, "tokens": 0}\n');
