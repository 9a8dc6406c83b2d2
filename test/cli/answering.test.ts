import { afterEach, describe, expect, it, vi } from 'vitest';
import { ProjectFixture } from './project-fixture.ts';
import { letter, team } from './team.ts';

const cancelled = Symbol('cancelled');
/** What a person answers, in order, and what she was asked. */
let answers: unknown[] = [];
let asked: string[] = [];
interface Question {
  readonly message: string;
  readonly options?: readonly { value: string; label: string }[];
  readonly validate?: (text: string) => string | undefined;
}
const answer = ({ message, options, validate }: Question): Promise<unknown> => {
  const given = answers.shift();
  const choices = options?.map(({ label }) => label).join(' | ');
  const problem = typeof given === 'string' ? validate?.(given) : undefined;
  asked.push([message, choices ?? null, problem ?? null].filter((part) => part !== null).join(': '));
  if (problem !== undefined) return answer({ message, ...(validate ? { validate } : {}) });
  return Promise.resolve(given);
};
vi.mock('@clack/prompts', () => ({
  select: (question: Question) => answer(question),
  text: (question: Question) => answer(question),
  isCancel: (given: unknown) => given === cancelled,
}));
afterEach(() => {
  answers = [];
  asked = [];
});

const withRefusal = team.replace('reply: [answer]', 'reply: [answer, refusal]').replace(
  'start:',
  `  refusal:
    from: [user, lead, architect]
    to: [engineer, qa]
    fields:
      why: { type: string, enum: [later, never], required: true }
      days: { type: integer, required: true }
      note: { type: string }
start:`,
);

/** The engineer has asked somebody something; at a terminal if a person can be asked. */
function askedOf(to: string, { interactive = true, text = withRefusal, other = {} } = {}): ProjectFixture {
  const fixture = new ProjectFixture(text);
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  fixture.work('engineer', { files: { 'q.md': letter('question', to, 'Which parser?'), ...other } });
  fixture.terminal.interactive = interactive;
  if (to === 'lead') fixture.environment = { MAILROOM_USER: to };
  return fixture;
}

const sent = (fixture: ProjectFixture, subject: string) =>
  fixture.state.mail.get(fixture.id(subject))?.message;

describe('reply on a terminal', () => {
  it('asks for the type, the required fields and the text, and takes only what fits', async () => {
    const fixture = askedOf('lead');
    answers = ['refusal', 'later', 'soon', '3', ' ', 'Not now.'];
    const { code, out } = await fixture.run('reply');
    expect(code).toBe(0);
    expect(out).toContain('question from engineer: Which parser?\n\nThe text.\n');
    expect(asked).toEqual([
      'Which answer?: answer | refusal',
      'why?: later | never',
      'days (integer)?: field `days` must be an integer, not "soon"',
      'days (integer)?',
      'Your answer to “Which parser?”: write an answer, or press Escape to cancel',
      'Your answer to “Which parser?”',
    ]);
    expect(sent(fixture, 'Not now.')).toMatchObject({
      from: 'lead',
      type: 'refusal',
      fields: { why: 'later', days: 3 },
    });
  });

  it('asks only for what was not given', async () => {
    const fixture = askedOf('lead');
    answers = ['never'];
    const given = ['--type', 'refusal', '--field', 'days=1', '-m', 'Not now.'];
    expect((await fixture.run('reply', ...given)).code).toBe(0);
    expect(asked).toEqual(['why?: later | never']);
    expect(sent(fixture, 'Not now.')?.fields).toEqual({ why: 'never', days: 1 });
  });

  it('asks which request is meant, and who answers', async () => {
    const other = { 'r.md': letter('question', 'user', 'Which colour?') };
    const fixture = askedOf('[user, lead]', { other });
    answers = [fixture.id('Which parser?'), 'lead', 'answer', 'The second.'];
    expect((await fixture.run('reply')).code).toBe(0);
    expect(asked.slice(0, 2)).toEqual([
      'Which one?: engineer: Which parser? | engineer: Which colour?',
      'Who answers?: user | lead',
    ]);
    expect(sent(fixture, 'The second.')?.from).toBe('lead');
  });

  it('sends nothing when the person cancels, whatever she is asked', async () => {
    for (const before of [[], ['refusal'], ['refusal', 'later'], ['answer']]) {
      const fixture = askedOf('lead');
      answers = [...before, cancelled];
      expect(await fixture.run('reply')).toMatchObject({
        code: 130,
        err: 'error E_CANCELLED: nothing was sent\n',
      });
      expect(fixture.disk.list('agents/lead/outbox')).toEqual([]);
      expect((await fixture.run('inbox')).out).toContain('Which parser?');
    }
  });

  it('asks nothing for a document', async () => {
    const fixture = askedOf('lead', { text: team });
    expect((await fixture.run('reply', '--json')).code).toBe(2);
    expect(asked).toEqual([]);
  });
});

describe('reply off a terminal', () => {
  it('lists what is missing with the complete command, and sends nothing', async () => {
    const fixture = askedOf('lead', { interactive: false });
    const id = fixture.id('Which parser?').slice(-6);
    expect(await fixture.run('reply')).toMatchObject({
      code: 2,
      err:
        'error E_USAGE: the answer lacks its type (answer or refusal), its text\n' +
        `hint: mailroom reply ${id} --type answer --message "…"\n` +
        `      mailroom reply ${id} --type refusal --field 'why=later|never' --field 'days=<integer>' --message "…"\n`,
    });
    expect(
      await fixture.run('reply', id, '--type', 'refusal', '--field', 'days=3', '-m', "It isn't"),
    ).toMatchObject({
      code: 2,
      err:
        'error E_USAGE: the answer lacks the field `why` ("later" or "never")\n' +
        `hint: mailroom reply ${id} --type refusal --field days=3 --message 'It isn'\\''t' --field 'why=later|never'\n`,
    });
    expect(fixture.disk.list('agents/lead/outbox')).toEqual([]);
  });

  it('refuses the printed command unchanged, part by part, and names the choices', async () => {
    const fixture = askedOf('lead', { interactive: false });
    const reply = async (...given: string[]) => (await fixture.run('reply', '-m', 'No', ...given)).err;
    expect(await reply('--type', 'answer|refusal', '--field', 'why=later|never')).toBe(
      'error E_USAGE: `answer|refusal` lists the types to choose from\nhint: write one of them: answer, refusal\n',
    );
    expect(await reply('--type', 'refusal', '--field', 'why=later|never', '--field', 'days=1')).toBe(
      'error E_FORBIDDEN: field `why` must be one of "later", "never"\nhint: nothing was sent\n',
    );
    expect(await reply('--type', 'refusal', '--field', 'why=later', '--field', 'days=<integer>')).toBe(
      'error E_FORBIDDEN: field `days` still has the placeholder <integer>; write its value\nhint: nothing was sent\n',
    );
    const noted = ['--field', 'why=later', '--field', 'days=1', '--field', 'note=<string>'];
    expect(await reply('--type', 'refusal', ...noted)).toBe(
      'error E_FORBIDDEN: field `note` still has the placeholder <string>; write its value\nhint: nothing was sent\n',
    );
    expect(await reply(fixture.id('Which parser?'), '--type', 'answer', '--as', 'user|lead')).toBe(
      'error E_USAGE: `user|lead` lists the roles to choose from\nhint: write one of them: user, lead\n',
    );
    expect(fixture.disk.list('agents/lead/outbox')).toEqual([]);
  });

  it('counts the type and the fields in the front matter of a text', async () => {
    const fixture = askedOf('lead', { interactive: false });
    fixture.files.set('/project/a.md', '---\ntype: refusal\nfields: { why: later }\n---\nNot now.\n');
    const { err } = await fixture.run('reply', '@1', 'a.md');
    expect(err).toMatch(
      /^error E_USAGE: the answer lacks the field `days` \(integer\)\nhint: mailroom reply /,
    );
    expect((await fixture.run('reply', '@1', 'a.md', '--field', 'days=2')).code).toBe(0);
    expect(sent(fixture, 'Not now.')).toMatchObject({ type: 'refusal', fields: { why: 'later', days: 2 } });
  });

  it('takes empty standard input for no text', async () => {
    const fixture = askedOf('lead', { interactive: false, text: team });
    fixture.terminal.piped = () => true;
    expect((await fixture.run('reply')).err).toMatch(/^error E_USAGE: the answer lacks its text\n/);
  });
});

describe('the command that the inbox prints', () => {
  it('names the person where several were asked, and only one can still answer', async () => {
    const fixture = askedOf('[user, lead]', { interactive: false, text: team });
    const id = fixture.id('Which parser?').slice(-6);
    const command = async (...as: string[]) =>
      ((await fixture.json('inbox', ...as)).document as { items: { command: string }[] }).items[0]?.command;
    expect(await command()).toBe(`mailroom reply ${id} --as 'user|lead' --message "…"`);
    expect(await command('--as', 'lead')).toBe(`mailroom reply ${id} --as lead --message "…"`);
    expect((await fixture.run('reply', id, '--as', 'user', '-m', 'The first.')).code).toBe(0);
    expect(await command()).toBe(`mailroom reply ${id} --as lead --message "…"`);
    expect((await fixture.run('reply', id, '--as', 'lead', '-m', 'The second.')).code).toBe(0);
    expect(sent(fixture, 'The second.')?.from).toBe('lead');
  });

  it('is one for each type where a field of the same name has other values', async () => {
    const types = team
      .replace('reply: [answer]', 'reply: [answer, refusal]')
      .replace(
        'answer: { from: [user, lead, architect], to: [engineer, qa] }',
        'answer: { from: [user, lead, architect], to: [engineer, qa], fields: { how: { type: string, enum: [now, soon], required: true } } }',
      )
      .replace(
        'start:',
        '  refusal: { from: [user, lead], to: [engineer, qa], fields: { how: { type: string, enum: [never], required: true } } }\nstart:',
      );
    const fixture = askedOf('lead', { interactive: false, text: types });
    const id = fixture.id('Which parser?').slice(-6);
    expect((await fixture.run('inbox')).out).toContain(
      `    mailroom reply ${id} --type answer --as lead --field 'how=now|soon' --message "…"\n` +
        `    mailroom reply ${id} --type refusal --as lead --field how=never --message "…"\n`,
    );
  });
});
