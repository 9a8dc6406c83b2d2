const finds = (vote, confidence) => (_, send) =>
  send('finding', 'lead', 'I read what there is to read.', { vote, confidence });

/** What each role sends, by the mail that it received. */
export const plays = {
  lead: (mail, send) => {
    const votes = mail.flatMap(({ type, from, vote }) => (type === 'finding' ? [`${from}: ${vote}`] : []));
    if (votes.length > 0) return send('report', 'user', `Yes. ${votes.toSorted().join(', ')}`);
    return send('assignment', ['optimist', 'sceptic', 'newcomer'], 'Is it ready?');
  },
  optimist: finds('yes', 80),
  sceptic: finds('no', 60),
  newcomer: finds('yes', 70),
};
