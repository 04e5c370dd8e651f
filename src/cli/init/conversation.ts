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
 * Asks what `given` leaves open and tests each step as soon as its answers are there. After a failed test a person answers again, from the
 * first step of the same side. Without a person, throws `invalid` for missing answers, all of them at once, and for a failed test.
 */
export async function completeAnswers(given: Answers, conversation: Conversation): Promise<Answers> {
  const { person, say } = conversation;
  let answers = given;
  if (person === null) answers = withoutPerson(given);
  else say(messages.intro);
  let refused = given;
  let at = 0;
  for (let step = STEPS[at]; step !== undefined; step = STEPS[at]) {
    if (person !== null) answers = await answered(step.questions, answers, refused, person);
    const failed = await failureOf(step, answers, conversation);
    if (failed === undefined) {
      at += 1;
      continue;
    }
    if (person === null)
      throw new CodedError('invalid', messages.refused(`${failed.what}: ${failed.detail}`));
    say(messages.again);
    const { side } = step;
    const first = STEPS.findIndex((each) => each.side === side);
    refused = answers;
    answers = without(STEPS.slice(first, at + 1), answers);
    at = first;
  }
  return answers;
}

/** Optional answers are empty where no flag gave them. */
function withoutPerson(given: Answers): Answers {
  const asked = STEPS.flatMap(({ questions }) => questions).filter(({ isAsked }) => isAsked(given));
  const missing = asked.filter(({ name, isOptional }) => given[name] === undefined && !isOptional);
  if (missing.length > 0)
    throw new CodedError('invalid', messages.missing(flagsOf(missing, given).join(', ')));
  const open = asked.filter(({ name }) => given[name] === undefined);
  return { ...given, ...Object.fromEntries(open.map(({ name }) => [name, ''])) };
}

/** Of the two ways to log in, the API token is the usual one. */
function flagsOf(missing: readonly Question[], given: Answers): string[] {
  const isLoginOpen = given.catalogEmail === undefined && given.catalogPassword === undefined;
  const flags = missing.map(({ name, flag }) =>
    isLoginOpen && name === 'catalogEmail' ? messages.tokenOrLogin : flag,
  );
  return isLoginOpen ? flags.filter((flag) => flag !== '--catalog-password-file') : flags;
}

async function failureOf(
  step: Step,
  answers: Answers,
  { probes, say, show }: Conversation,
): Promise<Finding | undefined> {
  const test = step.test(probes, answers);
  if (test === null) return undefined;
  say(messages.testing(step.what));
  const findings = await test;
  for (const finding of findings) show(finding);
  return findings.find(({ level }) => level === 'FAIL');
}

/** Enter alone repeats an answer that was `refused` before, unless it is a secret or may be empty. */
async function answered(
  questions: readonly Question[],
  given: Answers,
  refused: Answers,
  person: Person,
): Promise<Answers> {
  let answers = given;
  for (const { name, text, isSecret, isOptional, isAsked } of questions) {
    const before = isSecret || isOptional ? '' : (refused[name] ?? '');
    const asked = before === '' ? text : messages.kept(text, before);
    while (answers[name] === undefined && isAsked(answers)) {
      const typed = (await (isSecret ? person.askSecret(asked) : person.ask(asked))).trim();
      const answer = typed === '' ? before : typed;
      if (answer !== '' || isOptional) answers = { ...answers, [name]: answer };
    }
  }
  return answers;
}

function without(steps: readonly Step[], answers: Answers): Answers {
  const open = new Set<string>(steps.flatMap(({ questions }) => questions.map(({ name }) => name)));
  const kept = Object.entries(answers).filter(([name]) => !open.has(name));
  return { store: answers.store, ...Object.fromEntries(kept) };
}
