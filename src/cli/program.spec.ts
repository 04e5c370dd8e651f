import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { COMMAND_NAMES, COMMANDS, type OptionDeclaration } from './commands.js';
import { buildProgram } from './program.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const parsed = (...words: string[]) => buildProgram('1.0.0').parseAsync(['node', 'store-sync', ...words]);

/** Commands with an option that must be given, and the name of that option. */
const DEMANDING = COMMAND_NAMES.flatMap((name) => {
  const options: readonly OptionDeclaration[] = COMMANDS[name].options;
  const required = options.find((option) => option.required === true);
  return required === undefined
    ? []
    : [{ name, flags: required.flags, long: required.flags.split(' ')[0] ?? '' }];
});

describe.each(DEMANDING)('the command $name', ({ name, flags, long }) => {
  it(`suggests ${long} for a mistyped one`, async () => {
    const mistyped = `${long.slice(0, -2)}${long.at(-1) ?? ''}${long.at(-2) ?? ''}`;
    await expect(parsed(name, mistyped, 'x')).rejects.toMatchObject({
      code: 'commander.unknownOption',
      message: expect.stringContaining(`unknown option '${mistyped}'\n(Did you mean ${long}?)`),
    });
  });

  it(`names ${long} when it is missing`, async () => {
    await expect(parsed(name)).rejects.toMatchObject({
      code: 'commander.missingMandatoryOptionValue',
      message: `error: required option '${flags}' not specified`,
    });
  });
});

it('commands demand an option', () => {
  expect(DEMANDING.map(({ name }) => name)).toEqual(expect.arrayContaining(['plan', 'sync', 'drift']));
});
