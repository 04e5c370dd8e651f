/** Every sentence of `store-sync init`. */
export const messages = {
  // Questions
  baseUrl: 'Address of the catalog service, such as https://catalog.example.com/api/v1',
  catalogToken: 'API token of the catalog service (leave empty to log in by email)',
  catalogEmail: 'Email address of the catalog login',
  catalogPassword: 'Password of the catalog login',
  locale: 'Language to generate content in, such as en (empty: the service decides)',
  shop: 'Permanent address of the store, such as example.myshopify.com',
  clientId: 'Client ID of the app (docs/shopify.md says where to find it)',
  clientSecret: 'Client secret of the app',
  locales: 'Further languages of the store, such as de, fr (empty: none)',
  publicUrl: 'Public https: address of this program (empty: results arrive by polling)',

  // Progress
  intro: 'Each answer is tested at once. Nothing is written before the last answer.',
  testing: (what: string): string => `testing ${what} …`,
  again: 'Please answer again. Enter alone keeps the answer in brackets.',
  kept: (text: string, before: string): string => `${text} [${before}]`,
  catalogAddress: 'the address of the catalog service',
  catalog: 'the catalog login',
  language: 'the language',
  storeAddress: 'the address of the store',
  store: 'the store',
  languages: 'the languages of the store',
  publicAddress: 'the public address',

  // Findings about answers
  catalogAt: 'catalog address',
  storeAt: 'store address',
  answers: (address: string): string => `${address} answers, and asks for credentials`,
  languageOf: 'language',
  noLanguage: 'expected a language such as en or pt-BR; an empty answer leaves it to the service',
  languageTaken: (locale: string): string => `the catalog takes requests in ${locale}`,
  noCatalog: (address: string, problem: string): string =>
    `${address}: ${problem}; check the address, which usually ends in /api/v1`,
  noStore: (shop: string, problem: string): string => `${shop}: ${problem}`,

  // Errors
  interrupted: 'stopped before the last answer: nothing was written',
  missing: (flags: string): string => `without a terminal, init needs ${flags}`,
  tokenOrLogin: '--catalog-token-file (or --catalog-email and --catalog-password-file)',
  refused: (problem: string): string => `init stopped at a failed test: ${problem}`,
  exists: (path: string): string =>
    `${path} exists already: name another file with --out, or replace it with --force`,
  notWritable: (path: string, code: string): string => `${path} cannot be written (${code})`,
  secretUnreadable: (flag: string, path: string, code: string): string =>
    `the file ${path} of ${flag} cannot be read (${code})`,
  storeKey: 'the name of a store consists of letters, digits, - and _ (63 at most)',

  // Comments of the written file
  yamlHead: 'Written by `store-sync init`. docs/configuration.md describes every setting.',
  yamlPublicUrl: 'Without a public address no webhook is registered, and results arrive by polling.',
  yamlGenerations: 'Few for the start. Raise it once you like the texts.',
  yamlReview: 'Nothing is written to the store before you approve it. `auto` writes at once.',

  // The end
  wrote: (path: string): string => `wrote ${path}`,
  safeValues: (generations: number): string =>
    `Texts wait for your review, and a run requests at most ${String(generations)} generations (writeBack.mode, generation.maxPerRun).`,
  signIn: (path: string): string => `The dashboard takes the token in ${path}.`,
  /** A person who started init by npx has no store-sync on the path. */
  command: (isByNpx: boolean, rest: string): string => `  ${isByNpx ? 'npx ' : ''}store-sync ${rest}`,
  next: 'Next, see what a sync would do, then start the daemon:',
} as const;
