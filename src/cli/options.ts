export interface CommonOptions {
  readonly config?: string;
}

export interface JsonOptions extends CommonOptions {
  readonly json?: boolean;
}

/** An option as commander reads it. */
export interface OptionDeclaration {
  /** `--name`, or `--name <value>` for an option that takes a value. */
  readonly flags: string;
  readonly description: string;
  /** The option may be given several times; the command gets all values. */
  readonly repeated?: boolean;
  readonly defaultValue?: string;
}

export const JSON_OPTION: OptionDeclaration = { flags: '--json', description: 'prints one JSON document' };

/** A command that declares this option gets the key of a store in any case: that of the only one where it is left out. */
export const STORE_OPTION: OptionDeclaration = {
  flags: '--store <key>',
  description: 'key of the store in the configuration; may be left out where there is one store',
};

export const FULL_OPTION: OptionDeclaration = {
  flags: '--full',
  description: 'reads the whole store, not only changed products',
};

/** Options of commands about one store. */
export interface StoreOptions extends JsonOptions {
  readonly store: string;
}
