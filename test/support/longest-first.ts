import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What starts the real program many times takes longest. */
const long = /\/test\/(?:scenario|worlds\/kills|workflow\/triggers)\//;

/** Begins with the files that take longest, so that no worker is left with one of them in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // eslint-disable-next-line no-array-sort -- it is no array that is sorted here
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
