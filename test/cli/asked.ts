import { ProjectFixture } from './project-fixture.ts';
import { letter, team } from './team.ts';

/** The engineer has asked people something, each with a subject of its own. */
export function asked(questions: Readonly<Record<string, string>>, text = team): ProjectFixture {
  const fixture = new ProjectFixture(text);
  fixture.drop('agents/user/outbox/e.md', letter('errand', 'engineer', 'Do it'));
  const files = Object.entries(questions).map(([to, subject]) => [
    `${to}.md`,
    letter('question', to, subject),
  ]);
  fixture.work('engineer', { files: Object.fromEntries(files) as Record<string, string> });
  if ('lead' in questions) fixture.environment = { MAILROOM_USER: 'lead' };
  return fixture;
}
