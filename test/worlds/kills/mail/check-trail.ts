import type { Place } from '../place.ts';

const branch = 'mailroom-trail';

/** The trail tells each thing once, in order, and ends with what the folders show; the person's own branch is as it was. */
export function checkTrail(place: Place): string[] {
  const numbers = place
    .git('log', '--reverse', '--format=%(trailers:key=Seq,valueonly,separator=%x20)', branch)
    .split('\n')
    .map(Number);
  const disorder = numbers.filter((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0));
  const committed = new Set(place.git('ls-tree', '-r', '--name-only', branch).split('\n'));
  const shown = new Set(mailOf(place));
  return [
    ...disorder.map((number) => `the trail has number ${String(number)} twice or out of order`),
    ...[...shown].filter((path) => !committed.has(path)).map((path) => `the trail lacks ${path}`),
    ...[...committed].filter((path) => !shown.has(path)).map((path) => `the trail still has ${path}`),
    ...own(place),
  ];
}

/** Every file in the mail folders. */
function mailOf(place: Place): string[] {
  return place.list('agents').flatMap((role) =>
    ['inbox', 'processed', 'sent', 'failed'].flatMap((box) => {
      const folder = `agents/${role}/${box}`;
      if (box === 'inbox') return place.list(folder).map((name) => `${folder}/${name}`);
      return place
        .list(folder)
        .flatMap((month) => place.list(`${folder}/${month}`).map((name) => `${folder}/${month}/${name}`));
    }),
  );
}

/** What belongs to the person in this repository. */
function own(place: Place): string[] {
  const problems: string[] = [];
  const changed = place.git('status', '--porcelain');
  if (changed !== '') problems.push(`the files of the person have changed: ${changed}`);
  try {
    place.git('fsck', '--no-dangling', '--no-progress');
  } catch (error) {
    problems.push(`the repository is damaged: ${String(error)}`);
  }
  return problems;
}
