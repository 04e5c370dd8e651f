import { Injectable, NotFoundException } from '@nestjs/common';
import { errorLine, isCoded } from '../domain/errors.js';
import { WriteBackReview, type ReviewedWriteBack } from '../operations/write-back-review.js';
import { WriteBackOperations } from '../operations/write-backs.js';
import { editPage } from './views/write-back-actions.js';
import { OtherAnswer, type Visit } from './visit.js';

interface Edit {
  readonly target: string;
  readonly value: string;
  readonly version: number | undefined;
}

/** Saves the texts that people edited before their approval. */
@Injectable()
export class TextEditing {
  constructor(
    private readonly operations: WriteBackOperations,
    private readonly texts: WriteBackReview,
  ) {}

  /**
   * The version of the write-back that has the text. When it is not saved, the form ends on `back`, or on a page that shows the text of
   * somebody else beside the typed one, so that nothing is lost.
   */
  async save(
    id: string,
    edit: Edit,
    { visit, back }: { readonly visit: Visit; readonly back: string },
  ): Promise<number> {
    try {
      return (await this.operations.edit(id, edit, { actor: visit.name })).version;
    } catch (error) {
      if (!isCoded(error)) throw error;
      const reviewed = await this.texts.open(id);
      if (!reviewed.isOpen || !isCoded(error, 'conflict'))
        throw new OtherAnswer(await visit.goTo(back, errorLine(error)));
      const { row, label } = reviewed;
      const { target, value } = edit;
      const { value: present, came } = editedField(reviewed, target);
      const problem = { reason: errorLine(error), present };
      const shown = { id: row.id, version: row.version, target, value, came, label, back, problem };
      throw new OtherAnswer({ status: 409, page: editPage(visit.shown(), shown) });
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
