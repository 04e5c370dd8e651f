export function endWithTheFile(end: () => Promise<void>): () => void;
export function endWhatIsLeftOpen(): Promise<void>;
