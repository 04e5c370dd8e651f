import anyAscii from 'any-ascii';
import { fingerprint } from '../domain/fingerprint.js';
import { withoutOuter } from '../domain/text.js';

const MAX_KEY = 64;
/** The rest of an attribute's name does not count. */
const LONGEST_NAME = 1000;
/** Letters that German spells with two; a general transliteration would drop the difference. */
const TWO_LETTERS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
};

/**
 * A metafield key: 2 to 64 of `a-z 0-9 _ -`, made from whatever name the attribute has. Names in other scripts are
 * transliterated; a name of signs alone gets a key made from its hash, so that nothing is dropped. Empty only for a blank name.
 */
export function attributeKey(name: string): string {
  if (name.trim() === '') return '';
  const latin = anyAscii(
    name
      .slice(0, LONGEST_NAME)
      .normalize('NFKC')
      .replaceAll(/[äöüÄÖÜ]/g, (letter) => TWO_LETTERS[letter] ?? letter),
  );
  const plain = latin.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '_');
  const slug = withoutOuter(plain, '_-').slice(0, MAX_KEY);
  if (slug === '') return `attribute_${fingerprint(name).slice(0, 8)}`;
  return slug.length === 1 ? `${slug}_` : slug;
}

/**
 * Each attribute with its key, in the order of the attributes; without those of a blank name. When several names give one key, the
 * name that is spelled like the key gets it, or the first name in the order of its characters. The other names get a number.
 */
export function keysOf(attributes: readonly (readonly [string, unknown])[]): KeyedAttribute[] {
  const named = attributes.flatMap(([name, value]): KeyedAttribute[] => {
    const key = attributeKey(name);
    return key === '' ? [] : [{ name, value, key }];
  });
  const order = new Map([...new Set(named.map(({ name }) => name))].sort().map((name, at) => [name, at]));
  const rank = ({ name, key }: KeyedAttribute): number => (name === key ? -1 : (order.get(name) ?? 0));
  const shared = Map.groupBy(named, ({ key }) => key);
  const taken = new Set(shared.keys());
  const keyOf = new Map<KeyedAttribute, string>();
  for (const [key, sharing] of shared) {
    const said = new Map<string, string>();
    let number = 1;
    for (const each of sharing.length === 1 ? sharing : sharing.toSorted((a, b) => rank(a) - rank(b))) {
      // An attribute that says the same again shares its key.
      const value = sharing.length === 1 ? '' : fingerprint(each.value);
      const known = said.get(value);
      let own = known ?? key;
      while (known === undefined && said.size > 0 && taken.has(own)) own = numbered(key, (number += 1));
      taken.add(own);
      said.set(value, own);
      keyOf.set(each, own);
    }
  }
  return named.map((each) => ({ ...each, key: keyOf.get(each) ?? each.key }));
}

export interface KeyedAttribute {
  readonly name: string;
  readonly value: unknown;
  readonly key: string;
}

function numbered(key: string, number: number): string {
  const suffix = `_${String(number)}`;
  return `${key.slice(0, MAX_KEY - suffix.length)}${suffix}`;
}
