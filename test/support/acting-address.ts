import fc from 'fast-check';

/** A way to write an address that makes a shop act, of any shop. */
export const actingAddress: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('https:', 'http:', 'HtTpS:', ''),
    fc.constant('//'),
    fc.constantFrom(
      'www.tessera.example',
      'tessera.example.',
      'TESSERA.example:443',
      'shop.example',
      'SHOP.example',
    ),
    fc.constantFrom(
      ...['', '', '/de', '/zh-hans', '/en-us/de', '/pt_br', '/123456', '/x/..', '/x/%2e%2e', '/;a', '/.'],
    ),
    fc.constantFrom('/', '//', '/%2f', '/%252f', '/./', '/x/../', '/;a/', '/%2e/'),
    fc
      .constantFrom('cart', 'checkout', 'checkouts', 'account', 'discount', 'orders', 'login', 'admin')
      .chain((action) => fc.tuple(...Array.from(action, encoded)))
      .map((signs) => signs.join('')),
    fc.constantFrom(
      ...['', '/', '/clear', '.js', '.json', ';x', '%20', '?a=1', '#b', '/CODE?redirect=/x', '%3bx'],
    ),
  )
  .map((parts) => parts.join(''));

function encoded(sign: string): fc.Arbitrary<string> {
  const code = sign.charCodeAt(0).toString(16);
  return fc.constantFrom(sign, sign.toUpperCase(), `%${code}`, `%25${code}`, `%2525${code}`);
}
