// `npm run demo [-- --provider claude]`: installs what is missing, makes a small project with
// failing tests in a new folder, drops a task into the architect's inbox, and lets the roles work
// until it is delivered. Without --provider a script (templates/feature-team/agents/rehearsal.mjs)
// plays the roles, so that no agent program is needed. Exits with 0 only if the task was delivered
// and the tests pass. `npm run demo -- parallel` shows two engineers who build at the same time,
// `npm run demo -- fan-out` an architect who hands out parts in sub-threads.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, styleText } from 'node:util';

const repository = fileURLToPath(new URL('..', import.meta.url));
const program = join(repository, 'bin', 'mailroom');
const providers = ['rehearsal', 'claude', 'codex', 'gemini', 'opencode', 'pi', 'agy'];
const task = `# Add subtraction

The calculator cannot subtract: \`npm test\` fails. Add what is missing to src/calculator.mjs.
`;

const isPlain = !process.stdout.isTTY || Boolean(process.env.NO_COLOR);
const paint = (style, text) => (isPlain ? text : styleText(style, text));
const say = (text = '') => process.stdout.write(`${text}\n`);
const command = (text) => say(`\n${paint('cyan', '$')} ${paint('bold', text)}`);

// The demo makes a new project, whatever project or repository the environment names.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MAILROOM_(?!\w+_BIN$)|GIT_|npm_)/.test(name)),
);

/** Runs a program and either prints its output as it arrives or captures it. */
function run(argv, cwd, shown) {
  const [name, ...rest] = argv;
  const stdio = shown ? 'inherit' : 'pipe';
  const { status, error, stdout, stderr } = spawnSync(name, rest, {
    cwd,
    env: environment,
    stdio: ['ignore', stdio, stdio],
    encoding: 'utf8',
  });
  const complaint = error?.message ?? stderr ?? '';
  return { ok: status === 0, status: status ?? 1, stdout: stdout ?? '', complaint };
}

/** Like `run`; a failure ends the demo. */
function need(argv, cwd) {
  const { ok, status, stdout, complaint } = run(argv, cwd, false);
  if (ok) return stdout;
  throw new Error(`${argv.join(' ')} ended with exit code ${status}:\n${stdout}${complaint}`);
}

const mailroom = (...argv) => [process.execPath, program, ...argv];

/** The result of `npm test` in one line. */
function testResult(project) {
  const { ok, stdout } = run(['npm', 'test', '--', '--test-reporter=tap'], project, false);
  const count = (word) => new RegExp(`^# ${word} (\\d+)$`, 'm').exec(stdout)?.[1] ?? '?';
  const [, failed = '', reason = ''] = /^not ok \d+ - (.*)[^]*?^ {2}error: '?(.*?)'?$/m.exec(stdout) ?? [];
  const line = ok ? `${count('pass')} tests pass` : `${count('fail')} test fails: “${failed}”: ${reason}`;
  return { ok, line: paint(ok ? 'green' : 'red', line) };
}

/** Makes a project in a new folder, in git if git is installed. */
function makeProject(template, provider, subject) {
  const project = join(mkdtempSync(join(tmpdir(), 'mailroom-demo-')), template);
  need(mailroom('init', project, '--template', template, '--provider', provider), tmpdir());
  const hasGit = run(['git', '--version'], project, false).ok;
  if (hasGit) {
    const author = ['-c', 'user.name=Demo', '-c', 'user.email=demo@localhost', '-c', 'commit.gpgsign=false'];
    need(['git', 'init', '--quiet', '--initial-branch', 'main'], project);
    need(['git', 'add', '--all'], project);
    need(['git', ...author, 'commit', '--quiet', '-m', subject], project);
  }
  return { project, hasGit };
}

function isDelivered(project) {
  const messages = JSON.parse(need(mailroom('trail', '--json'), project));
  return messages.some(({ type, subject }) => type === 'delivered' && !subject.startsWith('Not done'));
}

function demo(provider) {
  const started = Date.now();
  const { project, hasGit } = makeProject('calculator', provider, 'A calculator that cannot subtract');
  say(paint('bold', 'Three roles build a feature, and talk by files alone'));
  say(`\nproject  ${project}`);
  say(
    `roles    architect, engineer and qa, ${provider === 'rehearsal' ? 'played by a script' : `run by ${provider}`}`,
  );

  command('npm test');
  say(testResult(project).line);

  command('echo "# Add subtraction …" > agents/architect/inbox/subtraction.md');
  mkdirSync(join(project, 'agents', 'architect', 'inbox'), { recursive: true });
  writeFileSync(join(project, 'agents', 'architect', 'inbox', 'subtraction.md'), task);

  command('mailroom up --until-idle');
  const worked = run(mailroom('up', '--until-idle'), project, true).ok;

  command('mailroom trail');
  run(mailroom('trail'), project, true);

  command('npm test');
  const tests = testResult(project);
  say(tests.line);

  if (hasGit) {
    command('git log mailroom-trail --format=%s');
    run(['git', '--no-pager', 'log', 'mailroom-trail', '--format=%s'], project, true);
  }

  const succeeded = worked && tests.ok && isDelivered(project);
  const seconds = Math.round((Date.now() - started) / 1000);
  const verdict = succeeded ? 'Delivered, and the tests pass' : 'Not delivered';
  say(
    `\n${paint(succeeded ? 'green' : 'red', `${verdict}, after ${seconds} s.`)} All of it is plain files; have a look:\n`,
  );
  say(`  cd ${project}`);
  if (hasGit) say('  git diff                    what the engineer changed');
  say('  ls agents/*/{sent,inbox}    what each role said, and what waits for you');
  say('  ls .mailroom/turns          the prompt and the output of each turn');
  return succeeded ? 0 : 1;
}

/** Engineers build at the same time; what they made is merged and reviewed once. */
function together(provider, { template, title, roles, wish, done, resolver }) {
  const started = Date.now();
  const { project, hasGit } = makeProject(template, provider, 'Nothing yet');
  if (!hasGit) throw new Error('work in parallel needs git: install it');
  say(paint('bold', title));
  say(`\nproject  ${project}`);
  say(`roles    ${roles}`);

  command(`mailroom send architect --message '${wish}'`);
  need(mailroom('send', 'architect', '--message', wish), project);

  command('mailroom up --until-idle');
  const worked = run(mailroom('up', '--until-idle'), project, true).ok;

  command('mailroom trail');
  run(mailroom('trail'), project, true);

  const messages = JSON.parse(need(mailroom('trail', '--json'), project));
  command('git log --graph --oneline main');
  run(['git', '--no-pager', 'log', '--graph', '--oneline', 'main'], project, true);

  const landed = messages.some(({ type, landed: at }) => type === 'delivered' && at?.branch === 'main');
  const succeeded = worked && landed;
  const seconds = Math.round((Date.now() - started) / 1000);
  const verdict = succeeded ? done : 'Not delivered';
  say(
    `\n${paint(succeeded ? 'green' : 'red', `${verdict}, after ${seconds} s.`)} All of it is plain git; have a look:\n`,
  );
  say(`  cd ${project}`);
  say("  git branch --list 'mailroom/*'    the branch of each role");
  say(`  cat FEATURES.md                   what all changed, and the ${resolver} resolved`);
  return succeeded ? 0 : 1;
}

const parallel = (provider) =>
  together(provider, {
    template: 'parallel-team',
    title: 'Two engineers build at the same time, each in a git worktree',
    roles: 'architect, engineer-a, engineer-b and reviewer',
    wish: 'Add an import and an export.',
    done: 'Both parts are on main',
    resolver: 'reviewer',
  });

const fanOut = (provider) =>
  together(provider, {
    template: 'fan-out-team',
    title: 'An architect hands out three parts, each in a sub-thread with a git worktree of its own',
    roles: 'architect, and an engineer who has up to three turns at once',
    wish: 'Add an import, an export and a search.',
    done: 'All parts are on main',
    resolver: 'architect',
  });

const demos = { parallel, 'fan-out': fanOut, team: demo };

/** What the command line asks for. */
function chosen() {
  const options = { provider: { type: 'string', default: 'rehearsal' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [name = 'team', ...others] = positionals;
  if (!Object.hasOwn(demos, name) || others.length > 0)
    throw new TypeError(`the demos are ${Object.keys(demos).join(', ')}`);
  if (!providers.includes(values.provider))
    throw new TypeError(`--provider is one of ${providers.join(', ')}`);
  return () => demos[name](values.provider);
}

let play;
try {
  play = chosen();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
const setup = spawnSync(process.execPath, [join(repository, 'scripts', 'setup.mjs')], { stdio: 'inherit' });
if (setup.status !== 0) process.exit(1);
try {
  process.exitCode = play();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
