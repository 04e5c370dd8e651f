import { absoluteAddress, hostOf, isPublicName, withoutTrailingDots } from '../../domain/web-address.js';

/** A visitor's browser follows a link on a click, and loads a picture or a frame by itself. */
export type AddressUse = 'link' | 'picture' | 'embed';

/** Hosts, with their port where they name one, from which a page may load something. */
export interface AllowedHosts {
  /** `any`: the hosts are not known yet. The decision about the write-back judges the address again. */
  readonly pictures: ReadonlySet<string> | 'any';
  readonly embeds: ReadonlySet<string>;
}

/** The address in the form that is written, or the reason why it is left out, as the rest of a sentence. */
export type JudgedAddress = { readonly address: string } | { readonly refused: string };

/**
 * The one rule for addresses in generated content, whatever element or attribute has them (docs/security.md). No
 * address makes a shop act when it is requested, or leads to a host without a public name or to a technical host of the store.
 * Pictures and frames come from allowed hosts only. `http` and a missing scheme become `https`.
 */
export function judgedAddress(given: string, use: AddressUse, hosts: AllowedHosts): JudgedAddress {
  const address = absoluteAddress(given);
  const url = address === null ? null : URL.parse(address);
  if (address === null || url === null) return refused('it is not a complete https address');
  if (use === 'link' && (url.protocol === 'mailto:' || url.protocol === 'tel:'))
    return isDialCode(url) ? refused('it is a code for the phone') : { address };
  if (url.protocol !== 'https:') return refused('it is not a complete https address');
  if (/^https:\/\/[^/?#]*@/i.test(address)) return refused('it has credentials');
  const host = hostOf(url);
  if (!isPublicName(url.hostname)) return refused('its host has no public name');
  if (actsOnRequest(url)) return refused('it makes a shop act for the visitor');
  if (isPlatformHost(url, use)) return refused('it leads to a technical address of the store');
  if (use === 'picture' && hosts.pictures !== 'any' && !hosts.pictures.has(host))
    return refused('no picture of the product is from this host, and writeBack.imageHosts does not name it');
  if (use === 'embed' && !hosts.embeds.has(host))
    return refused('the merchant embeds nothing from this host');
  return { address };
}

/** An address that was left out of generated content. */
export interface DroppedAddress {
  readonly use: AddressUse;
  readonly address: string;
  readonly reason: string;
}

/** Codes with `*` and `#` change settings of a phone. */
function isDialCode({ protocol, href }: URL): boolean {
  return protocol === 'tel:' && /[*#]/.test(decoded(href) ?? '#');
}

const PLATFORM_HOSTS = /(?:^|\.)(?:myshopify\.com|shopifypreview\.com|shopify\.com|shop\.app)$/;

/** Shops also have a name of the platform, and the platform signs customers in. Pictures lie under `/cdn/` there. */
function isPlatformHost({ hostname, pathname }: URL, use: AddressUse): boolean {
  const name = withoutTrailingDots(hostname);
  if (!PLATFORM_HOSTS.test(name) || name === 'cdn.shopify.com') return false;
  return use !== 'picture' || !pathname.startsWith('/cdn/');
}

/** First parts of paths at which a shop acts for the visitor, or asks for secrets. */
const ACTIONS: ReadonlySet<string> = new Set(
  (
    'account accounts admin authentication cart carts challenge checkout checkouts ' +
    'customer_authentication customer_identity digital_wallets discount discounts invoices localization ' +
    'login orders password pay payments services wallets'
  ).split(' '),
);
/** Apps of a shop answer below these. */
const APPS: ReadonlySet<string> = new Set(['a', 'apps', 'community', 'tools']);
/** These act wherever they stand in a path. */
const ACTIONS_ANYWHERE = /^(?:log|sign)[-_]?(?:out|off)$/;
/** Languages, markets and numbers of shops may stand before an action: `/zh-hans/cart`, `/123/orders`. */
const BEFORE_ACTIONS = /^(?:[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}|\d+)$/;
const MOST_BEFORE_ACTIONS = 3;
/** Parameters that act on any page of a shop. */
const ACTION_PARAMETERS = /^(?:preview_\w+|_ab|_fd|_sc|_bt|discount|return_to|return_url|checkout_url)$/;

/** True where a shop would act on the request, whatever name the shop has: its own domains are not known here. */
function actsOnRequest({ pathname, search }: URL): boolean {
  if (isActionPath(pathname)) return true;
  return search
    .slice(1)
    .split(/[&;]/)
    .some((part) => {
      const [name = '', ...rest] = part.split('=');
      const parameter = decoded(name)?.split('[', 1)[0];
      const value = decoded(rest.join('='));
      if (parameter === undefined || value === null || ACTION_PARAMETERS.test(parameter)) return true;
      // A page that redirects, as discounts do, may be given the address of an action.
      const isAddress = /^(?:[a-z]{2,10}:)?[/\\]/.test(value);
      const nested = isAddress ? URL.parse(value, 'https://page.invalid/') : null;
      return nested !== null && isActionPath(nested.pathname);
    });
}

function isActionPath(pathname: string): boolean {
  const path = decoded(pathname);
  if (path === null) return true;
  const names: string[] = [];
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    const name = segment.split(';', 1)[0]?.trim() ?? '';
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(withoutSuffix(name));
  }
  if (names.some((name) => ACTIONS_ANYWHERE.test(name))) return true;
  for (const [at, name] of names.slice(0, MOST_BEFORE_ACTIONS + 1).entries()) {
    if (ACTIONS.has(name) || (APPS.has(name) && at + 1 < names.length)) return true;
    if (!BEFORE_ACTIONS.test(name)) return false;
  }
  return false;
}

/** `cart.js` is the cart in another format. */
function withoutSuffix(name: string): string {
  const dot = name.indexOf('.', 1);
  return dot === -1 ? name : name.slice(0, dot);
}

const MOST_DECODINGS = 5;

/**
 * A part of an address as the last of several servers could read it: without any percent-encoding, in lower case, and with
 * compatible characters in one form. Null where it is encoded more often than anybody does in good faith.
 */
function decoded(part: string): string | null {
  let text = part;
  for (let round = 0; round < MOST_DECODINGS; round += 1) {
    const next = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
    );
    if (next === text) {
      const plain = text.normalize('NFKC').toLowerCase();
      return plain.replaceAll(/[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff\ufffd]/g, '');
    }
    text = next;
  }
  return null;
}

function refused(reason: string): JudgedAddress {
  return { refused: reason };
}
