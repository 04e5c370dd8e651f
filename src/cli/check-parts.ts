/** Fail within seconds and with the reason. A probe that runs into its time limit has no reason to show. */
export const IMPATIENT = { retryDelayScale: 0.05, maxThrottleWaitMs: 5_000 };

/** A look writes nothing, so that it needs no database. Without one, a secret that the service masks counts as ours. */
export const NO_STATE = {
  reportWebhook: () => Promise.resolve(),
  sentWebhookSecret: () => Promise.resolve(null),
  webhookSecretSent: () => Promise.resolve(),
};
