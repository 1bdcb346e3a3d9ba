/** What can be wrong with a payload. */
export type PayloadErrorKind =
  /** Longer than we read or write. */
  | 'too_long'
  /** A control character, or half of a surrogate pair. */
  | 'bad_character'
  /** The text ends inside a field. */
  | 'truncated'
  /** A field's id is not two digits. */
  | 'bad_id'
  /** A field's length is not two digits from 01 to 99. */
  | 'bad_length'
  /** An id stands twice at one level. */
  | 'duplicate'
  /** A field that must be there is not. */
  | 'missing'
  /** 00 is not the first field, or 63 not the last. */
  | 'misplaced'
  /** The checksum is not that of the payload. */
  | 'bad_crc'
  /** A field holds what its definition does not allow. */
  | 'bad_value'

/** What can be wrong with an argument of a builder. */
export type ArgumentErrorKind =
  | 'bad_bin'
  | 'bad_account'
  | 'bad_service'
  | 'bad_amount'
  | 'bad_bill'
  | 'bad_purpose'

export interface QrError {
  kind: PayloadErrorKind | ArgumentErrorKind
  /**
   * UTF-16 index into the payload: of the bad character, length or value, else of the field; where it should
   * have come for a missing one. 0 for an argument.
   */
  offset: number
  /** For people. It repeats nothing of the payload but ids. */
  message: string
}

export type QrResult<T> = { ok: true; value: T } | { ok: false; error: QrError }

export function success<T>(value: T): { ok: true; value: T } {
  return { ok: true, value }
}

export function failure(
  kind: QrError['kind'],
  offset: number,
  message: string,
): { ok: false; error: QrError } {
  return { ok: false, error: { kind, offset, message } }
}
