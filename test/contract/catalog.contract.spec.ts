import { describe } from '@jest/globals';
import { useContract } from './harness.js';
import { authenticationRules } from './sections/authentication.js';
import { backgroundRules } from './sections/background.js';
import { generalRules } from './sections/general.js';
import { listingRules } from './sections/listing.js';
import { productFieldRules } from './sections/product-fields.js';
import { creationRules } from './sections/creation.js';
import { deliveryRules } from './sections/deliveries.js';
import { eventRules } from './sections/events.js';
import { productRules } from './sections/products.js';
import { watchedRules } from './sections/watching.js';
import { settingsRules } from './sections/webhook-settings.js';

// The target is opened while the file loads: which tests apply depends on what it can do.
const rule = await useContract();

describe('the catalog rules', () => {
  generalRules(rule);
  authenticationRules(rule);
  productFieldRules(rule);
  listingRules(rule);
  creationRules(rule);
  productRules(rule);
  backgroundRules(rule);
  settingsRules(rule);
  eventRules(rule);
  deliveryRules(rule);
  watchedRules(rule);
});
