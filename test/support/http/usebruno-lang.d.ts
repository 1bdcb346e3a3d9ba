/** Bruno's own reader and writer of its files; the package brings no types. */
declare module '@usebruno/lang' {
  /** A request's file. */
  export function bruToJsonV2(text: string): unknown
  export function jsonToBruV2(json: unknown): string
  /** collection.bru, which all requests inherit from. */
  export function collectionBruToJson(text: string): unknown
  export function jsonToCollectionBru(json: unknown): string
  /** An environment's file. */
  export function bruToEnvJsonV2(text: string): unknown
  export function envJsonToBruV2(json: unknown): string
}
