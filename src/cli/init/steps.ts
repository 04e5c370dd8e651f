import type { Finding } from '../../operations/check.js';
import { isWooCommerce, type AnswerName, type Answers } from './answers.js';

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
  readonly what: string;
  readonly questions: readonly Question[];
  /** Null when the answers leave nothing to test. */
  readonly test: (probes: Probes, answers: Answers) => Promise<readonly Finding[]> | null;
}

/** The tests. Each resolves with findings for people, and an answer that cannot be used is a `FAIL`. */
export interface Probes {
  /** Checks, without credentials, whether the service is at this address. */
  catalogAddress(answers: Answers): Promise<readonly Finding[]>;
  catalog(answers: Answers): Promise<readonly Finding[]>;
  language(answers: Answers): Promise<readonly Finding[]>;
  /** Checks, without credentials, whether the store is at this address. */
  storeAddress(answers: Answers): Promise<readonly Finding[]>;
  store(answers: Answers): Promise<readonly Finding[]>;
  publicUrl(answers: Answers): Promise<readonly Finding[]>;
}

const always = (): boolean => true;
const isEmpty = (value: string | undefined): boolean => value === undefined || value === '';

const byLogin = ({ catalogToken }: Answers): boolean => isEmpty(catalogToken);
const byCredentials = (answers: Answers): boolean => !isWooCommerce(answers) && isEmpty(answers.accessToken);

function question(
  name: AnswerName,
  flag: string,
  text: string,
  more: Partial<Pick<Question, 'isSecret' | 'isOptional' | 'isAsked'>> = {},
): Question {
  return { name, flag, text, isSecret: false, isOptional: false, isAsked: always, ...more };
}

/** The steps, in the order in which people are asked. */
export const STEPS: readonly Step[] = [
  {
    what: 'the address of the catalog service',
    questions: [
      question(
        'baseUrl',
        '--catalog-url',
        'Address of the catalog service, such as https://catalog.example.com/api/v1',
      ),
    ],
    test: (probes, answers) => probes.catalogAddress(answers),
  },
  {
    what: 'the catalog login',
    questions: [
      question(
        'catalogToken',
        '--catalog-token-file',
        'API token of the catalog service (leave empty to log in by email)',
        {
          isSecret: true,
          isOptional: true,
          // A login that a flag gave stands for the token.
          isAsked: ({ catalogEmail }) => isEmpty(catalogEmail),
        },
      ),
      question('catalogEmail', '--catalog-email', 'Email address of the catalog login', { isAsked: byLogin }),
      question('catalogPassword', '--catalog-password-file', 'Password of the catalog login', {
        isSecret: true,
        isAsked: byLogin,
      }),
    ],
    test: (probes, answers) => probes.catalog(answers),
  },
  {
    what: 'the language',
    questions: [
      question(
        'locale',
        '--locale',
        'Language to generate content in, such as en (empty: the service decides)',
        { isOptional: true },
      ),
    ],
    test: (probes, answers) => (isEmpty(answers.locale) ? null : probes.language(answers)),
  },
  {
    what: 'the address of the store',
    questions: [
      question(
        'shop',
        '--shop',
        'Permanent address of the store, such as example.myshopify.com, or https://shop.example.com of WooCommerce',
      ),
    ],
    test: (probes, answers) => probes.storeAddress(answers),
  },
  {
    what: 'the store',
    questions: [
      question('clientId', '--client-id', 'Client ID of the app (docs/shopify.md says where to find it)', {
        isAsked: byCredentials,
      }),
      question('clientSecret', '--client-secret-file', 'Client secret of the app', {
        isSecret: true,
        isAsked: byCredentials,
      }),
      question('consumerKey', '--consumer-key', 'Consumer key of the shop, ck_… (docs/woocommerce.md)', {
        isAsked: isWooCommerce,
      }),
      question('consumerSecret', '--consumer-secret-file', 'Consumer secret of the shop, cs_…', {
        isSecret: true,
        isAsked: isWooCommerce,
      }),
    ],
    test: (probes, answers) => probes.store(answers),
  },
  {
    what: 'the languages of the store',
    questions: [
      question('locales', '--locales', 'Further languages of the store, such as de, fr (empty: none)', {
        isOptional: true,
        // The texts of a shop of WooCommerce have one language.
        isAsked: (answers) => !isWooCommerce(answers),
      }),
    ],
    test: (probes, answers) => (isEmpty(answers.locales) ? null : probes.store(answers)),
  },
  {
    what: 'the public address',
    questions: [
      question(
        'publicUrl',
        '--public-url',
        'Public https: address of this program (empty: results arrive by polling)',
        { isOptional: true },
      ),
    ],
    test: (probes, answers) => probes.publicUrl(answers),
  },
];
