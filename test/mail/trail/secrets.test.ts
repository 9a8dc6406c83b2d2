import { expect, it } from 'vitest';
import { played } from '../host/said.ts';
import { open, person, repository } from './support.ts';

it('no object of the repository that the trail is written to holds a secret', async () => {
  const secrets = ['a-strong-token', 'strong "ä\\7 \n too'];
  const text = secrets.map((each) => `It is ${each}, he says.`).join(' and ');
  const project = repository();
  for (const ends of ['done', 'later', 'never'] as const)
    for (const isWrong of [false, true]) {
      const trail = open(project, `trail-${ends}-${String(isWrong)}`);
      await trail.position();
      played(secrets, { text, subject: text, ends, isWrong, isOwn: false }, trail);
      await trail.settled();
      expect(trail.problem()).toBeNull();
    }
  const found = person(project, ['cat-file', '--batch', '--batch-all-objects']);
  expect(found).toContain('It is ***, he says.');
  for (const each of secrets.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))
    expect(found).not.toContain(each);
});
