import { CodedError } from '../../domain/errors.js';
import type { Finding } from '../../operations/check.js';
import type { Answers } from './answers.js';
import { STEPS, type Probes, type Question, type Step } from './steps.js';

/** A person at a terminal. An answer is not empty unless the question is optional; `before` is what Enter alone repeats. */
export interface Person {
  ask(question: Question, before: string): Promise<string>;
}

export interface Conversation {
  readonly probes: Probes;
  /** Null without a terminal: then flags have all answers, and the first problem ends the conversation. */
  readonly person: Person | null;
  readonly say: (line: string) => void;
  readonly show: (finding: Finding) => void;
}

/**
 * Asks what `given` leaves open and tests each step as soon as its answers are there. After a failed test, a person answers again: of
 * several questions the secret alone, or all of them after Enter. Without a person, throws `invalid` for missing answers, all of them at once, and for a failed test.
 */
export async function completeAnswers(given: Answers, conversation: Conversation): Promise<Answers> {
  const { person, say } = conversation;
  let answers = person === null ? withoutPerson(given) : given;
  if (person !== null) say('Each answer is tested at once. Nothing is written before the last answer.');
  for (const step of STEPS) {
    let refused: Refused | null = null;
    for (;;) {
      if (person !== null) answers = await answered(step.questions, answers, refused, person);
      const failed = await failureOf(step, answers, conversation);
      if (failed === undefined) break;
      if (person === null)
        throw new CodedError('invalid', `init stopped at a failed test: ${failed.what}: ${failed.detail}`);
      say('Please answer again, or press Ctrl-C to stop.');
      refused = { answers, isRepeated: isSame(step, answers, refused) };
      answers = without(step.questions, answers);
    }
  }
  return answers;
}

interface Refused {
  readonly answers: Answers;
  /** The same answers were refused before. */
  readonly isRepeated: boolean;
}

function isSame({ questions }: Step, answers: Answers, before: Refused | null): boolean {
  return before !== null && questions.every(({ name }) => answers[name] === before.answers[name]);
}

function isEmpty(answer: string | undefined): boolean {
  return answer === undefined || answer === '';
}

/** Optional answers are empty where no flag gave them. */
function withoutPerson(given: Answers): Answers {
  const asked = STEPS.flatMap(({ questions }) => questions).filter(({ isAsked }) => isAsked(given));
  const missing = asked.filter(({ name, isOptional }) => given[name] === undefined && !isOptional);
  if (missing.length > 0)
    throw new CodedError('invalid', `without a terminal, init needs ${flagsOf(missing, given).join(', ')}`);
  const open = asked.filter(({ name }) => given[name] === undefined);
  return { ...given, ...Object.fromEntries(open.map(({ name }) => [name, ''])) };
}

/** The flags of missing answers. Of the two ways to log in it names the API token, which is the common one. */
function flagsOf(missing: readonly Question[], given: Answers): string[] {
  const isLoginOpen = given.catalogEmail === undefined && given.catalogPassword === undefined;
  const flags = missing.map(({ name, flag }) =>
    isLoginOpen && name === 'catalogEmail'
      ? '--catalog-token-file (or --catalog-email and --catalog-password-file)'
      : flag,
  );
  return isLoginOpen ? flags.filter((flag) => flag !== '--catalog-password-file') : flags;
}

async function failureOf(
  step: Step,
  answers: Answers,
  { probes, say, show }: Conversation,
): Promise<Finding | undefined> {
  const { what, probe, skippedWithout } = step;
  if (skippedWithout !== undefined && isEmpty(answers[skippedWithout])) return undefined;
  say(`testing ${what} …`);
  const findings = await probes[probe](answers);
  for (const finding of findings) show(finding);
  return findings.find(({ level }) => level === 'FAIL');
}

/**
 * Enter alone repeats an answer that was `refused` before, once: the other side may be there by now. It repeats no secret, and nothing that
 * may be empty.
 */
async function answered(
  questions: readonly Question[],
  given: Answers,
  refused: Refused | null,
  person: Person,
): Promise<Answers> {
  let answers = given;
  if (refused !== null) {
    const used = questions.filter(({ name }) => !isEmpty(refused.answers[name]));
    const last = used.at(-1);
    if (last?.isSecret === true && used.length > 1) {
      const text = `${last.text} (Enter alone: answer all of these again)`;
      const again = (await person.ask({ ...last, text, isOptional: true }, '')).trim();
      if (again !== '') return { ...refused.answers, [last.name]: again };
    }
  }
  for (const question of questions) {
    const { name, isSecret, isOptional, isAsked } = question;
    if (answers[name] !== undefined || !isAsked(answers)) continue;
    const isRepeatable = !isSecret && !isOptional && refused?.isRepeated === false;
    const before = isRepeatable ? (refused.answers[name] ?? '') : '';
    answers = { ...answers, [name]: (await person.ask(question, before)).trim() };
  }
  return answers;
}

function without(questions: readonly Question[], answers: Answers): Answers {
  const open = new Set<string>(questions.map(({ name }) => name));
  const kept = Object.entries(answers).filter(([name]) => !open.has(name));
  return { store: answers.store, ...Object.fromEntries(kept) };
}
