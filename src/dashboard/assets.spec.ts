import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ASSETS, STYLES } from './assets.js';

const FOLDER = new URL('./assets/', import.meta.url);
const contentOf = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

describe('the style sheet of pages', () => {
  it('has every style file of the folder once', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.css'));
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) expect(STYLES.body.split(contentOf(name))).toHaveLength(2);
    const length = files.reduce((sum, name) => sum + contentOf(name).length + 1, -1);
    expect(STYLES.body).toHaveLength(length);
  });

  it('closes every block, so that no file swallows the next one', () => {
    for (const { body, type } of ASSETS.filter((asset) => asset.type.startsWith('text/css')))
      expect([type, body.split('{').length]).toEqual([type, body.split('}').length]);
  });

  it('has files of fewer than 400 lines', () => {
    for (const name of readdirSync(FOLDER))
      expect([name, contentOf(name).split('\n').length < 400]).toEqual([name, true]);
  });
});
