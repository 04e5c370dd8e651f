import type { Finding } from '../../operations/check.js';
import { INPUTS, isWooCommerce, type Answers, type InputName } from './answers.js';

export interface Question {
  readonly name: InputName;
  /** The flag that would have given the answer. */
  readonly flag: string;
  readonly text: string;
  readonly isSecret: boolean;
  /** An answer may be empty. */
  readonly isOptional: boolean;
  /** False when earlier answers make the question unnecessary. */
  readonly isAsked: (answers: Answers) => boolean;
}

type Probe = (answers: Answers) => Promise<readonly Finding[]>;

/**
 * The tests. Each resolves with findings for people, and an answer that cannot be used is a `FAIL`. Those of addresses ask without
 * credentials whether the service, or the store, is there.
 */
export type Probes = Readonly<
  Record<'catalogAddress' | 'catalog' | 'language' | 'storeAddress' | 'store' | 'publicUrl', Probe>
>;

/** Questions that are tested together, because none of their answers can be tested alone. */
export interface Step {
  readonly what: string;
  readonly questions: readonly Question[];
  readonly probe: keyof Probes;
  /** The test is left out where this answer is empty. */
  readonly skippedWithout?: InputName;
}

const isEmpty = (value: string | undefined): boolean => value === undefined || value === '';
const byLogin = ({ catalogToken }: Answers): boolean => isEmpty(catalogToken);
const byCredentials = (answers: Answers): boolean => !isWooCommerce(answers) && isEmpty(answers.accessToken);

function question(
  name: InputName,
  more: Partial<Pick<Question, 'text' | 'isOptional' | 'isAsked'>> = {},
): Question {
  const { flags, about } = INPUTS[name];
  return {
    name,
    flag: flags.split(' ')[0] ?? flags,
    text: `${about.charAt(0).toUpperCase()}${about.slice(1)}`,
    isSecret: 'variable' in INPUTS[name],
    isOptional: false,
    isAsked: () => true,
    ...more,
  };
}

/** The steps, in the order in which people are asked. */
export const STEPS: readonly Step[] = [
  { what: 'the address of the catalog service', questions: [question('baseUrl')], probe: 'catalogAddress' },
  {
    what: 'the catalog login',
    questions: [
      question('catalogToken', {
        text: 'API token of the catalog service (leave empty to log in by email)',
        isOptional: true,
        // A login that a flag gave stands for the token.
        isAsked: ({ catalogEmail }) => isEmpty(catalogEmail),
      }),
      question('catalogEmail', { isAsked: byLogin }),
      question('catalogPassword', { isAsked: byLogin }),
    ],
    probe: 'catalog',
  },
  {
    what: 'the language',
    questions: [question('locale', { isOptional: true })],
    probe: 'language',
    skippedWithout: 'locale',
  },
  { what: 'the address of the store', questions: [question('shop')], probe: 'storeAddress' },
  {
    what: 'the store',
    questions: [
      question('clientId', { isAsked: byCredentials }),
      question('clientSecret', { isAsked: byCredentials }),
      question('consumerKey', { isAsked: isWooCommerce }),
      question('consumerSecret', { isAsked: isWooCommerce }),
    ],
    probe: 'store',
  },
  {
    what: 'the languages of the store',
    // The texts of a shop of WooCommerce have one language.
    questions: [question('locales', { isOptional: true, isAsked: (answers) => !isWooCommerce(answers) })],
    probe: 'store',
    skippedWithout: 'locales',
  },
  {
    what: 'the public address',
    questions: [question('publicUrl', { isOptional: true })],
    probe: 'publicUrl',
  },
];
