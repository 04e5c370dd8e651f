import { Injectable, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { errorLine, isCoded } from '../domain/errors.js';
import { WriteBackReview, type ReviewedWriteBack } from '../operations/write-back-review.js';
import { WriteBackOperations } from '../operations/write-backs.js';
import { seeOther, visitorOf } from './session.guard.js';
import { Sessions } from './session.js';
import { editPage } from './views/write-back-actions.js';
import { unknownWriteBack, writeBackPath } from './views/write-back-parts.js';
import type { ListPlace } from './write-back-query.js';

interface Edit {
  readonly target: string;
  readonly value: string;
  readonly version: number | undefined;
}

interface EditBy {
  readonly actor: string;
  /** The page that follows. */
  readonly place: ListPlace | string;
  readonly request: Request;
  readonly response: Response;
}

/** Saves the texts that people edited before their approval. */
@Injectable()
export class TextEditing {
  constructor(
    private readonly sessions: Sessions,
    private readonly operations: WriteBackOperations,
    private readonly texts: WriteBackReview,
  ) {}

  /**
   * The version of the write-back that has the text. Null when it was not saved; then the response is the page that says why. A text that
   * somebody else edited meanwhile is shown beside the typed one, so that nothing is lost.
   */
  async save(id: string, edit: Edit, by: EditBy): Promise<number | null> {
    const { place, request, response } = by;
    const back = typeof place === 'string' ? place : writeBackPath(id, place);
    try {
      return (await this.operations.edit(id, edit, { actor: by.actor })).version;
    } catch (error) {
      if (!isCoded(error)) throw error;
      const reviewed = await this.texts.open(id);
      if (reviewed === null) throw new NotFoundException(unknownWriteBack(id));
      if (!reviewed.isOpen || !isCoded(error, 'conflict')) {
        await seeOther(this.sessions, request, response, back, errorLine(error));
        return null;
      }
      const { row, label } = reviewed;
      const { value: present, came } = editedField(reviewed, edit.target);
      const shown = {
        id: row.id,
        version: row.version,
        target: edit.target,
        value: edit.value,
        came,
        label,
        back,
      };
      const problem = { reason: errorLine(error), present };
      response.status(409).send(editPage(visitorOf(this.sessions, request, response), { ...shown, problem }));
      return null;
    }
  }
}

/** The present text of a field that may be edited. */
export function editedField(
  { row, editable }: ReviewedWriteBack,
  target: string,
): { readonly value: string; readonly came: string | null } {
  const field = row.fields.find((each) => each.target === target);
  if (field?.intended == null || !editable.has(target))
    throw new NotFoundException('This field cannot be edited.');
  return { value: field.intended, came: field.came };
}
