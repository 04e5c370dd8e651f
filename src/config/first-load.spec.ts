import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory, workspace } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

const csv = (columns: string): string =>
  workspace(`firstLoad: csv\n    assumptions: { uploadCsv: { columns: ${columns} } }`);

describe('the first load by CSV', () => {
  it.each<[string, string, RegExp]>([
    [
      'without any format',
      workspace('firstLoad: csv'),
      /^workspaces\.w\.firstLoad: expected requests\. The service does not document its CSV format/,
    ],
    [
      'with a format that names no column',
      csv('{}'),
      /^workspaces\.w\.firstLoad: .* needs assumptions\.uploadCsv\.columns with external_id/,
    ],
    [
      'with a format without a column for external_id',
      csv('{ name: Name, sku: SKU }'),
      /^workspaces\.w\.firstLoad: .* needs assumptions\.uploadCsv\.columns with external_id/,
    ],
    [
      'with a column without a heading',
      csv('{ external_id: "" }'),
      /^workspaces\.w\.assumptions\.uploadCsv\.columns\.external_id: /,
    ],
    [
      'with a column for an unknown field',
      csv('{ external_id: id, title: Title }'),
      /^workspaces\.w\.assumptions\.uploadCsv\.columns\.title: expected a column for one of external_id, name/,
    ],
    [
      'with one heading for two fields',
      csv('{ external_id: id, name: id }'),
      /^workspaces\.w\.assumptions\.uploadCsv\.columns\.name: expected each heading once \(id is used twice\)/,
    ],
    [
      'with a format of another kind',
      workspace('firstLoad: csv\n    assumptions: { uploadCsv: { column: { external_id: id } } }'),
      /^workspaces\.w\.assumptions\.uploadCsv\.column: /,
    ],
  ])('%s is refused when the configuration is read', (_what, content, expected) => {
    expect(files.refusal(content)).toMatch(expected);
  });

  it('is taken with a format that has a column for external_id', () => {
    const { config } = files.load(csv('{ external_id: id, name: Name }'));
    expect(config.workspaces['w']?.firstLoad).toBe('csv');
  });

  it('is off without the setting, also where a format is configured', () => {
    const { config } = files.load(workspace('assumptions: { uploadCsv: { columns: { external_id: id } } }'));
    expect(config.workspaces['w']?.firstLoad).toBe('requests');
  });
});
