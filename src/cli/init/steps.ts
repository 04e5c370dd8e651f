import type { Finding } from '../../operations/check.js';
import type { AnswerName, Answers } from './answers.js';
import { messages } from './messages.js';

export interface Question {
  readonly name: AnswerName;
  readonly flag: string;
  readonly text: string;
  readonly isSecret: boolean;
  /** An answer may be empty. */
  readonly isOptional: boolean;
  /** False when earlier answers make the question needless. */
  readonly isAsked: (answers: Answers) => boolean;
}

/** Questions that are tested together, because none of their answers can be tested alone. */
export interface Step {
  readonly what: string;
  readonly questions: readonly Question[];
  readonly test: (probes: Probes, answers: Answers) => Promise<readonly Finding[]>;
}

/** The tests. Each resolves with findings for people, and an answer that cannot be used is a `FAIL`. */
export interface Probes {
  catalog(answers: Answers): Promise<readonly Finding[]>;
  store(answers: Answers): Promise<readonly Finding[]>;
  publicUrl(answers: Answers): Promise<readonly Finding[]>;
}

const always = (): boolean => true;
const isEmpty = (value: string | undefined): boolean => value === undefined || value === '';

const byLogin = ({ catalogToken }: Answers): boolean => isEmpty(catalogToken);
const byCredentials = ({ accessToken }: Answers): boolean => isEmpty(accessToken);

function question(
  name: AnswerName,
  flag: string,
  more: Partial<Pick<Question, 'isSecret' | 'isOptional' | 'isAsked'>> = {},
): Question {
  return { name, flag, text: messages[name], isSecret: false, isOptional: false, isAsked: always, ...more };
}

/** In the order in which people are asked. */
export const STEPS: readonly Step[] = [
  {
    what: messages.catalog,
    questions: [
      question('baseUrl', '--catalog-url'),
      question('catalogToken', '--catalog-token-file', {
        isSecret: true,
        isOptional: true,
        // A login that a flag gave stands for the token.
        isAsked: ({ catalogEmail }) => isEmpty(catalogEmail),
      }),
      question('catalogEmail', '--catalog-email', { isAsked: byLogin }),
      question('catalogPassword', '--catalog-password-file', { isSecret: true, isAsked: byLogin }),
    ],
    test: (probes, answers) => probes.catalog(answers),
  },
  {
    what: messages.language,
    questions: [question('locale', '--locale', { isOptional: true })],
    test: async (probes, answers) => (isEmpty(answers.locale) ? [] : probes.catalog(answers)),
  },
  {
    what: messages.store,
    questions: [
      question('shop', '--shop'),
      question('clientId', '--client-id', { isAsked: byCredentials }),
      question('clientSecret', '--client-secret-file', { isSecret: true, isAsked: byCredentials }),
    ],
    test: (probes, answers) => probes.store(answers),
  },
  {
    what: messages.languages,
    questions: [question('locales', '--locales', { isOptional: true })],
    test: async (probes, answers) => (isEmpty(answers.locales) ? [] : probes.store(answers)),
  },
  {
    what: messages.address,
    questions: [question('publicUrl', '--public-url', { isOptional: true })],
    test: (probes, answers) => probes.publicUrl(answers),
  },
];
