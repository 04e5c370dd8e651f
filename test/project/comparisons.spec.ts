import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { placesWhere, sourceFiles } from '../support/source-files.js';

const SECRET = /(token|secret|password|signature|digest|hmac|mac)$/i;

/** `===` and its kin between a value named like a secret and another value that is not a constant. */
function comparesSecret(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node) || !/^[=!]==?$/.test(node.operatorToken.getText())) return false;
  const sides = [node.left, node.right];
  if (
    sides.some((side) => ts.isLiteralExpression(side) || /^(null|undefined|typeof .*)$/.test(side.getText()))
  )
    return false;
  return sides.some((side) => SECRET.test(side.getText()));
}

const all = sourceFiles('src').filter(({ path }) => !/^src\/sandbox\/|\.spec\.ts$/.test(path));

describe('secrets that a request brings', () => {
  it('are compared in constant time alone', () => {
    const files = all.filter(({ path }) => /^src\/(operations|webhooks)\/|webhook-signature\.ts$/.test(path));
    expect(files.flatMap((file) => placesWhere(file, comparesSecret))).toEqual([]);
  });
});
