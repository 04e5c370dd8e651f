// `npm run docs`: writes the pages that are generated from the code. test/project/generated-pages.spec.ts fails while they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { catalogRulesPage } from '../contract/rules-page.js';
import { configurationPage } from './configuration-page.js';

const style = JSON.parse(readFileSync('.prettierrc.json', 'utf8'));
const pages = {
  'docs/catalog-rules.md': catalogRulesPage(),
  'docs/configuration.md': configurationPage(),
};
for (const [path, text] of Object.entries(pages)) {
  writeFileSync(path, await format(text, { ...style, parser: 'markdown' }));
  console.log(path);
}
