/** The kind of these stores, in the configuration, in routes and in external_ids. */
export const WOOCOMMERCE = 'woocommerce';
