import { Kind, isInterfaceType, isObjectType } from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLSchema,
  SelectionSetNode,
} from 'graphql';

export interface SelectedField {
  readonly field: FieldNode;
  readonly returns: GraphQLOutputType;
}

/** Reads the fields of a document's selections, those of fragments included, with the types they return. */
export class SelectedFields {
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
  ) {
    const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
    this.fragments = new Map(fragments.map((each) => [each.name.value, each]));
  }

  /** Empty for a missing selection; fields that the type does not have (`__typename`) are left out. */
  of(selections: SelectionSetNode | undefined, type: GraphQLNamedType): SelectedField[] {
    return (selections?.selections ?? []).flatMap((selection) => {
      if (selection.kind === Kind.FIELD) {
        const hasFields = isObjectType(type) || isInterfaceType(type);
        const definition = hasFields ? type.getFields()[selection.name.value] : undefined;
        return definition ? [{ field: selection, returns: definition.type }] : [];
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(selection.name.value) : selection;
      const narrowed = fragment?.typeCondition
        ? this.schema.getType(fragment.typeCondition.name.value)
        : type;
      return fragment && narrowed ? this.of(fragment.selectionSet, narrowed) : [];
    });
  }
}
