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
  /** False when earlier answers make the question unnecessary. */
  readonly isAsked: (answers: Answers) => boolean;
}

/** Questions that are tested together, because none of their answers can be tested alone. */
export interface Step {
  /** A wrong address can be the cause of a refused login. So after a failed test, the steps of that side begin again. */
  readonly side: 'catalog' | 'language' | 'store' | 'languages' | 'public';
  readonly what: string;
  readonly questions: readonly Question[];
  /** Null when the answers leave nothing to test. */
  readonly test: (probes: Probes, answers: Answers) => Promise<readonly Finding[]> | null;
}

/** The tests. Each resolves with findings for people, and an answer that cannot be used is a `FAIL`. */
export interface Probes {
  /** Without credentials: whether the service is at this address. */
  catalogAddress(answers: Answers): Promise<readonly Finding[]>;
  catalog(answers: Answers): Promise<readonly Finding[]>;
  language(answers: Answers): Promise<readonly Finding[]>;
  /** Without credentials: whether the store is at this address. */
  storeAddress(answers: Answers): Promise<readonly Finding[]>;
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
    side: 'catalog',
    what: messages.catalogAddress,
    questions: [question('baseUrl', '--catalog-url')],
    test: (probes, answers) => probes.catalogAddress(answers),
  },
  {
    side: 'catalog',
    what: messages.catalog,
    questions: [
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
    side: 'language',
    what: messages.language,
    questions: [question('locale', '--locale', { isOptional: true })],
    test: (probes, answers) => (isEmpty(answers.locale) ? null : probes.language(answers)),
  },
  {
    side: 'store',
    what: messages.storeAddress,
    questions: [question('shop', '--shop')],
    test: (probes, answers) => probes.storeAddress(answers),
  },
  {
    side: 'store',
    what: messages.store,
    questions: [
      question('clientId', '--client-id', { isAsked: byCredentials }),
      question('clientSecret', '--client-secret-file', { isSecret: true, isAsked: byCredentials }),
    ],
    test: (probes, answers) => probes.store(answers),
  },
  {
    side: 'languages',
    what: messages.languages,
    questions: [question('locales', '--locales', { isOptional: true })],
    test: (probes, answers) => (isEmpty(answers.locales) ? null : probes.store(answers)),
  },
  {
    side: 'public',
    what: messages.publicAddress,
    questions: [question('publicUrl', '--public-url', { isOptional: true })],
    test: (probes, answers) => probes.publicUrl(answers),
  },
];
