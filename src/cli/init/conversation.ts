import { CodedError } from '../../domain/errors.js';
import type { Finding } from '../../operations/check.js';
import type { Answers } from './answers.js';
import { messages } from './messages.js';
import { STEPS, type Probes, type Question, type Step } from './steps.js';

/** A person at a terminal. */
export interface Person {
  ask(text: string): Promise<string>;
  /** The typed text is not shown. */
  askSecret(text: string): Promise<string>;
}

export interface Conversation {
  readonly probes: Probes;
  /** Null without a terminal: then flags have all answers, and the first problem ends the conversation. */
  readonly person: Person | null;
  readonly say: (line: string) => void;
  readonly show: (finding: Finding) => void;
}

/**
 * Asks what `given` leaves open and tests each step as soon as its answers are there. A person answers a failed step again. Without
 * one, throws `invalid` for missing answers, all of them at once, and for a failed test.
 */
export async function completeAnswers(given: Answers, conversation: Conversation): Promise<Answers> {
  const { person, say } = conversation;
  let answers = given;
  if (person === null) answers = withoutPerson(given);
  else say(messages.intro);
  for (const step of STEPS) answers = await settledStep(step, answers, conversation);
  return answers;
}

/** Optional answers are empty where no flag gave them. */
function withoutPerson(given: Answers): Answers {
  const asked = STEPS.flatMap(({ questions }) => questions).filter(({ isAsked }) => isAsked(given));
  const missing = asked.filter(({ name, isOptional }) => given[name] === undefined && !isOptional);
  if (missing.length > 0)
    throw new CodedError('invalid', messages.missing(missing.map(({ flag }) => flag).join(', ')));
  const open = asked.filter(({ name }) => given[name] === undefined);
  return { ...given, ...Object.fromEntries(open.map(({ name }) => [name, ''])) };
}

async function settledStep(step: Step, given: Answers, conversation: Conversation): Promise<Answers> {
  const { probes, person, say, show } = conversation;
  let answers = await answered(step.questions, given, person);
  for (;;) {
    say(messages.testing(step.what));
    const findings = await step.test(probes, answers);
    for (const finding of findings) show(finding);
    const failed = findings.find(({ level }) => level === 'FAIL');
    if (failed === undefined) return answers;
    if (person === null)
      throw new CodedError('invalid', messages.refused(`${failed.what}: ${failed.detail}`));
    say(messages.again);
    answers = await answered(step.questions, without(step.questions, answers), person);
  }
}

async function answered(
  questions: readonly Question[],
  given: Answers,
  person: Person | null,
): Promise<Answers> {
  let answers = given;
  if (person === null) return answers;
  for (const { name, text, isSecret, isOptional, isAsked } of questions) {
    while (answers[name] === undefined && isAsked(answers)) {
      const answer = (await (isSecret ? person.askSecret(text) : person.ask(text))).trim();
      if (answer !== '' || isOptional) answers = { ...answers, [name]: answer };
    }
  }
  return answers;
}

function without(questions: readonly Question[], answers: Answers): Answers {
  const open = new Set<string>(questions.map(({ name }) => name));
  const kept = Object.entries(answers).filter(([name]) => !open.has(name));
  return { store: answers.store, ...Object.fromEntries(kept) };
}
