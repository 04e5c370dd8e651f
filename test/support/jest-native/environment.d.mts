/** The part of Jest's environment that its own test uses. */
export default class NativeEnvironment {
  constructor(config: { readonly globalConfig: object; readonly projectConfig: object });
  setup(): Promise<void>;
  teardown(): Promise<void>;
}
