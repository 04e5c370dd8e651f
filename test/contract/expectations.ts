import { expect } from '@jest/globals';
import type { Answer } from './api.js';
import { detailShape, fieldErrorsShape, productShape, type Product } from './shapes.js';

export function productOf(answer: Answer): Product {
  const parsed = productShape.safeParse(answer.body);
  if (!parsed.success) throw new Error(`No product: ${answer.status} ${JSON.stringify(answer.body)}`);
  return parsed.data;
}

export function expectDetail(answer: Answer, status: number): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  expect(detailShape.safeParse(answer.body).success).toBe(true);
}

/** A 400 whose body maps exactly these fields to messages. */
export function expectFieldErrors(answer: Answer, ...fields: string[]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 400 });
  expect(fieldErrorsShape.safeParse(answer.body).success).toBe(true);
  expect(Object.keys(answer.body as object).sort()).toEqual([...fields].sort());
}

/** A 400 with messages for one field or for what is in it: the name of a nested field is not documented. */
export function expectRefusalOf(answer: Answer, field: string): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 400 });
  const names = Object.keys(answer.body as object);
  expect(names.filter((name) => name.split(/[.[]/)[0] === field)).not.toEqual([]);
}

/** Any 2xx: the numeric success codes are documented for the listing alone. */
export function expectSuccess(answer: Answer): void {
  expect({ status: answer.status, body: answer.body, succeeded: succeeded(answer) }).toMatchObject({
    succeeded: true,
  });
}

/** Any refusal with `detail`: the document names the body, but no status. */
export function expectRefusal(answer: Answer): void {
  expect({ status: answer.status, refused: answer.status >= 400 && answer.status < 500 }).toMatchObject({
    refused: true,
  });
  expect(detailShape.safeParse(answer.body).success).toBe(true);
}

export function succeeded({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}
