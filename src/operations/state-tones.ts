/** How much a state of a row asks for a person. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'calm';

const TONES: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  applied: 'good',
  processed: 'good',
  done: 'good',
  linked: 'good',
  created: 'good',
  updated: 'good',
  queued: 'busy',
  running: 'busy',
  received: 'busy',
  requested: 'busy',
  ready: 'busy',
  pending: 'busy',
  pending_review: 'busy',
  planned: 'busy',
  generationRequested: 'busy',
  partial: 'warn',
  parked: 'warn',
  conflicted: 'warn',
  no_urls: 'warn',
  orphaned: 'warn',
  owed: 'warn',
  failed: 'bad',
  abandoned: 'bad',
};

/** The tone of a state, for its colour on pages and at the terminal. A state that is not known is calm. */
export function toneOf(state: string): Tone {
  return TONES[state] ?? 'calm';
}
