/** Short limits, so that a probe fails within seconds and names its reason. A probe that hits its time limit has none. */
export const IMPATIENT = { retryDelayScale: 0.05, maxThrottleWaitMs: 5_000 };

/** Reading the slot needs no database. Without one, a webhook secret that the service masks is taken for ours. */
export const NO_STATE = {
  reportWebhook: () => Promise.resolve(),
  sentWebhookSecret: () => Promise.resolve(null),
  webhookSecretSent: () => Promise.resolve(),
};
