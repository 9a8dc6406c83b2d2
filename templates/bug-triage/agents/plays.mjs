/** What each role sends, by the mail that it received. */
export const plays = {
  triage: (mail, send) => {
    const { type } = mail.at(-1) ?? {};
    if (type === 'bug') send('question', 'user', 'Which version do you use?');
    else if (type === 'answer') send('fix', 'fixer', 'Empty input ends in an error.', { severity: 'major' });
    else if (type === 'fixed')
      send('report', 'user', 'It is fixed, and a test holds it.', { outcome: 'fixed' });
    else send('report', 'user', 'It stays as it is.', { outcome: 'open' });
  },
  fixer: (mail, send) => send('fixed', 'triage', 'An empty list was not expected. There is a test now.'),
};
