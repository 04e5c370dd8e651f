/** A page that the service used for a result, as the delivery names it. */
export interface UsedSource {
  /** As the service wrote it. It may be any text. */
  readonly url: string;
  /** How well the page fits the product, on the service's own scale. */
  readonly score: number | null;
  readonly status: string | null;
  /** True when the request named the page, false when the service found it, null when the delivery does not say. */
  readonly given: boolean | null;
}
