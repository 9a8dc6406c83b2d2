import { freshMark } from '../../process/support.ts';
import { processes, runsAgents, type OpenRunner } from './agent-runner.ts';

const onThisHost: OpenRunner = (root, events) => {
  const mark = freshMark();
  return { runner: processes(root, mark, events), mark, close: async () => {} };
};

runsAgents('on this host', onThisHost);
